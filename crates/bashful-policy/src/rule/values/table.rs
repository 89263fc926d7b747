//! Which options of which programs take a value.

use super::Options;

/// Programs with subcommands, each with its options that take the next word.
pub(super) const TABLE: &[Options] = &[
    Options {
        programs: &["git"],
        global: &[
            "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix",
            "--config-env", "--attr-source", "--list-cmds",
        ],
        later: &[
            "-o", "--push-option", "--repo", "--receive-pack", "--exec", "--upload-pack", "-u",
            "--depth", "--shallow-since", "--shallow-exclude", "--refmap", "--server-option",
            "--negotiation-tip", "-j", "--jobs", "-s", "--strategy", "-X", "--strategy-option",
            "-b", "--branch", "--reference", "--origin", "--template", "--config", "--filter",
        ],
    },
    Options {
        programs: &["docker", "podman", "nerdctl"],
        global: &[
            "-c", "--context", "--config", "-H", "--host", "-l", "--log-level", "--tlscacert",
            "--tlscert", "--tlskey", "--url", "--connection", "--identity", "--root", "--runroot",
            "--storage-driver", "--storage-opt", "-n", "--namespace", "-a", "--address",
        ],
        later: &[],
    },
    Options {
        programs: &["docker-compose", "podman-compose"],
        global: &[
            "-f", "--file", "-p", "--project-name", "--profile", "--env-file",
            "--project-directory", "--parallel", "--ansi", "--progress", "-c", "--context", "-H",
            "--host",
        ],
        later: &[],
    },
    Options {
        programs: &["npm", "pnpm", "yarn", "bun", "npx", "bunx", "cnpm"],
        global: &[
            "--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F",
            "--registry", "--userconfig", "--globalconfig", "--cache", "--loglevel", "--reporter",
            "--tag", "--otp", "--access", "--use-yarnrc", "--modules-folder", "--network-timeout",
            "--mutex",
        ],
        later: &[
            "--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F",
            "--registry", "--userconfig", "--globalconfig", "--cache", "--loglevel", "--tag",
            "--otp", "--access",
        ],
    },
    Options {
        programs: &["cargo"],
        global: &["--config", "-Z", "-C", "--color", "--manifest-path", "--target-dir"],
        later: &[
            "--config", "-Z", "-C", "--color", "--manifest-path", "--target-dir", "-p",
            "--package", "--registry", "--index", "--token", "--features", "-F", "--target", "-j",
            "--jobs",
        ],
    },
    Options {
        programs: &["kubectl", "oc", "helm"],
        global: &[
            "-n", "--namespace", "--context", "--kube-context", "--cluster", "--user",
            "--kubeconfig", "-s", "--server", "--token", "--as", "--as-group", "--as-uid",
            "--cache-dir", "--certificate-authority", "--client-certificate", "--client-key",
            "--request-timeout", "--tls-server-name", "--username", "--password", "-v", "--v",
            "--vmodule", "--profile", "--profile-output", "--kube-apiserver", "--kube-as-user",
            "--kube-ca-file", "--kube-token", "--registry-config", "--repository-cache",
            "--repository-config", "--burst-limit", "--qps",
        ],
        later: &[],
    },
    Options {
        programs: &["gh", "glab"],
        global: &["-R", "--repo", "--hostname"],
        later: &[],
    },
    Options {
        programs: &["go"],
        global: &["-C"],
        later: &[],
    },
    Options {
        programs: &["pip", "pip3", "uv", "poetry", "pdm", "pipenv"],
        global: &[
            "--python", "--log", "--proxy", "--retries", "--timeout", "--exists-action",
            "--trusted-host", "--cert", "--client-cert", "--cache-dir", "--directory", "--project",
            "-C", "-P", "-p", "-c", "--config", "--config-file", "--color", "--use-feature",
            "--use-deprecated",
        ],
        later: &[],
    },
    Options {
        programs: &["apt", "apt-get", "aptitude"],
        global: &["-o", "--option", "-c", "--config-file", "-t", "--target-release"],
        later: &[
            "-o", "--option", "-c", "--config-file", "-t", "--target-release", "--default-release",
        ],
    },
    Options {
        programs: &["dnf", "yum", "microdnf", "zypper"],
        global: &[
            "-c", "--config", "--installroot", "--releasever", "--repo", "--repoid",
            "--enablerepo", "--disablerepo", "-x", "--exclude", "--setopt", "-d", "-e", "-R",
            "--root", "--reposd-dir",
        ],
        later: &[],
    },
    Options {
        programs: &["systemctl"],
        global: &[
            "-H", "--host", "-M", "--machine", "-t", "--type", "-p", "--property", "-s",
            "--signal", "-n", "--lines", "-o", "--output", "--root", "--state", "--job-mode",
            "--kill-who", "--image",
        ],
        later: &[],
    },
    Options {
        programs: &["gem", "bundle", "composer"],
        global: &["--config-file", "-d", "--working-dir", "--gemfile", "-r", "--retry"],
        later: &[],
    },
    Options {
        programs: &["terraform", "tofu"],
        global: &[],
        later: &[],
    },
];

/// Programs whose long options have one dash, so that their letters are not bundles.
pub(super) const ONE_DASH: &[&str] = &[
    "ant", "ar", "c++", "cc", "clang", "clang++", "cmake", "find", "g++", "gcc", "gdb", "go",
    "gradle", "gradlew", "java", "javac", "kotlinc", "ld", "lein", "mvn", "mvnd", "mvnw",
    "openssl", "packer", "qemu-system-x86_64", "sbt", "scalac", "tcc", "terraform", "tofu",
    "xterm",
];
