//! Which options of which programs take a value.

use super::Options;

const fn row(
    programs: &'static [&'static str],
    global: &'static [&'static str],
    later: &'static [&'static str],
) -> Options {
    Options {
        programs,
        global,
        later,
    }
}

/// Programs with subcommands, each with its options that take the next word: before the subcommand,
/// and after it.
#[rustfmt::skip]
pub(super) const TABLE: &[Options] = &[
    row(&["git"],
        &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix",
          "--config-env", "--attr-source", "--list-cmds"],
        &["-o", "--push-option", "--repo", "--receive-pack", "--exec", "--upload-pack", "-u",
          "--depth", "--shallow-since", "--shallow-exclude", "--refmap", "--server-option",
          "--negotiation-tip", "-j", "--jobs", "-s", "--strategy", "-X", "--strategy-option", "-b",
          "--branch", "--reference", "--origin", "--template", "--config", "--filter"]),
    row(&["docker", "podman", "nerdctl"],
        &["-c", "--context", "--config", "-H", "--host", "-l", "--log-level", "--tlscacert",
          "--tlscert", "--tlskey", "--url", "--connection", "--identity", "--root", "--runroot",
          "--storage-driver", "--storage-opt", "-n", "--namespace", "-a", "--address"], &[]),
    row(&["docker-compose", "podman-compose"],
        &["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory",
          "--parallel", "--ansi", "--progress", "-c", "--context", "-H", "--host"], &[]),
    row(&["npm", "pnpm", "yarn", "bun", "npx", "bunx", "cnpm"],
        &["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F", "--registry",
          "--userconfig", "--globalconfig", "--cache", "--loglevel", "--reporter", "--tag", "--otp",
          "--access", "--use-yarnrc", "--modules-folder", "--network-timeout", "--mutex"],
        &["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F", "--registry",
          "--userconfig", "--globalconfig", "--cache", "--loglevel", "--tag", "--otp", "--access"]),
    row(&["cargo"], &["--config", "-Z", "-C", "--color", "--manifest-path", "--target-dir"],
        &["--config", "-Z", "-C", "--color", "--manifest-path", "--target-dir", "-p", "--package",
          "--registry", "--index", "--token", "--features", "-F", "--target", "-j", "--jobs"]),
    row(&["kubectl", "oc", "helm"],
        &["-n", "--namespace", "--context", "--kube-context", "--cluster", "--user", "--kubeconfig",
          "-s", "--server", "--token", "--as", "--as-group", "--as-uid", "--cache-dir",
          "--certificate-authority", "--client-certificate", "--client-key", "--request-timeout",
          "--tls-server-name", "--username", "--password", "-v", "--v", "--vmodule", "--profile",
          "--profile-output", "--kube-apiserver", "--kube-as-user", "--kube-ca-file",
          "--kube-token", "--registry-config", "--repository-cache", "--repository-config",
          "--burst-limit", "--qps"], &[]),
    row(&["gh", "glab"], &["-R", "--repo", "--hostname"], &[]),
    row(&["go"], &["-C"], &[]),
    row(&["pip", "pip3", "uv", "poetry", "pdm", "pipenv"],
        &["--python", "--log", "--proxy", "--retries", "--timeout", "--exists-action",
          "--trusted-host", "--cert", "--client-cert", "--cache-dir", "--directory", "--project",
          "-C", "-P", "-p", "-c", "--config", "--config-file", "--color", "--use-feature",
          "--use-deprecated"], &[]),
    row(&["apt", "apt-get", "aptitude"],
        &["-o", "--option", "-c", "--config-file", "-t", "--target-release"],
        &["-o", "--option", "-c", "--config-file", "-t", "--target-release", "--default-release"]),
    row(&["dnf", "yum", "microdnf", "zypper"],
        &["-c", "--config", "--installroot", "--releasever", "--repo", "--repoid", "--enablerepo",
          "--disablerepo", "-x", "--exclude", "--setopt", "-d", "-e", "-R", "--root",
          "--reposd-dir"], &[]),
    row(&["systemctl"],
        &["-H", "--host", "-M", "--machine", "-t", "--type", "-p", "--property", "-s", "--signal",
          "-n", "--lines", "-o", "--output", "--root", "--state", "--job-mode", "--kill-who",
          "--image"], &[]),
    row(&["gem", "bundle", "composer"],
        &["--config-file", "-d", "--working-dir", "--gemfile", "-r", "--retry"], &[]),
    row(&["terraform", "tofu"], &[], &[]),
];

/// Programs whose long options have one dash, so that their letters are not bundles.
pub(super) const ONE_DASH: &[&str] = &[
    "ant", "ar", "c++", "cc", "clang", "clang++", "cmake", "find", "g++", "gcc", "gdb", "go",
    "gradle", "gradlew", "java", "javac", "kotlinc", "ld", "lein", "mvn", "mvnd", "mvnw",
    "openssl", "packer", "qemu-system-x86_64", "sbt", "scalac", "tcc", "terraform", "tofu",
    "xterm",
];
