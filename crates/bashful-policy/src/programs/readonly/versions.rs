//! Asking a well-known tool for its version or its help.

use crate::facts::Argument;

/// Tools that answer `--version` or `--help` and do nothing else then. Sorted.
const TOOLS: &[&str] = &[
    "7z", "7za", "R", "Rscript", "act", "actionlint", "ag", "age", "air", "ansible",
    "ansible-lint", "ansible-playbook", "ant", "apk", "apt", "apt-get", "aria2c", "as",
    "asciidoctor", "asdf", "ast-grep", "astro", "atlas", "autoconf", "automake", "autopep8", "ava",
    "aws", "az", "babel", "bandit", "bash", "bat", "bats", "bazel", "biome", "bison", "black",
    "brew", "brotli", "buf", "buildah", "bun", "bundle", "bunx", "bwrap", "bzip2", "c++", "c8",
    "cabal", "caddy", "cargo", "cargo-clippy", "cargo-nextest", "cc", "ccache", "ccmake", "cdk",
    "checkstyle", "chromium", "clang", "clang++", "clang-check", "clang-format", "clang-tidy",
    "clangd", "clippy-driver", "cloc", "clojure", "cmake", "code", "codespell", "colima",
    "commitlint", "composer", "conan", "conda", "coverage", "cpp", "cppcheck", "cpplint", "crane",
    "crictl", "crystal", "csc", "ctags", "ctest", "curl", "cypress", "d2", "dart", "deno",
    "direnv", "dlv", "dmypy", "docker", "docker-buildx", "docker-compose", "dot", "dotnet",
    "doxygen", "dpkg", "dprint", "drush", "dune", "eas", "eksctl", "elixir", "elm", "emacs",
    "emcc", "envsubst", "erl", "esbuild", "eslint", "exiftool", "expo", "eza", "fd", "fdfind",
    "ffmpeg", "ffprobe", "firebase", "fish", "flake8", "flatpak", "flex", "flit", "flutter",
    "flyctl", "fnm", "fossil", "fzf", "g++", "gawk", "gcc", "gcloud", "gdal_translate", "gdb",
    "gem", "gettext", "gfind", "gfortran", "gh", "ghc", "git", "gitlab-runner", "gitleaks", "glab",
    "gleam", "gmake", "gnuplot", "go", "gofmt", "gofumpt", "goimports", "golangci-lint", "golint",
    "google-chrome", "gopls", "gotestsum", "gpg", "gpg2", "gpgconf", "gradle", "graphviz",
    "groovy", "grpcurl", "gsed", "gtar", "gulp", "gunicorn", "hadolint", "hatch", "helm", "htop",
    "httpd", "hugo", "hx", "hyperfine", "identify", "iex", "iperf3", "isort", "istioctl", "jar",
    "java", "javac", "jekyll", "jest", "journalctl", "jq", "julia", "just", "k3s", "k6", "k9s",
    "kind", "kotlin", "kotlinc", "kotlinc-jvm", "ksh", "kubeadm", "kubectl", "kubectx",
    "kustomize", "lazygit", "ld", "ld.lld", "ldd", "lefthook", "lein", "lerna", "less", "libtool",
    "lighttpd", "lint-staged", "llc", "lld", "lldb", "llvm-config", "lsof", "ltrace", "lua",
    "luacheck", "luajit", "luarocks", "lz4", "m4", "mage", "magick", "make", "mamba", "mariadb",
    "markdownlint", "mdbook", "memcached", "meson", "minikube", "mise", "mix", "mkdocs", "mocha",
    "mold", "mongod", "mongosh", "more", "mosquitto", "msbuild", "mutagen", "mvn", "mypy", "mysql",
    "mysqld", "nano", "nasm", "ncu", "nerdctl", "next", "nginx", "nim", "nimble", "ninja", "nix",
    "nm", "nmap", "nmcli", "node", "nodejs", "nodemon", "nox", "npm", "npx", "nu", "nuxt", "nvcc",
    "nvidia-smi", "nvim", "nx", "objdump", "ocaml", "ocamlc", "ocamlformat", "ocamlopt", "oha",
    "okteto", "opa", "opam", "openapi-generator", "openssl", "oxlint", "packer", "pandoc",
    "parallel", "parcel", "pdflatex", "pdftotext", "pdm", "perf", "perl", "php", "phpstan",
    "phpunit", "pip", "pip3", "pipdeptree", "pipenv", "pipx", "pixi", "pkg-config", "playwright",
    "pm2", "pnpm", "podman", "poetry", "postgres", "pre-commit", "prettier", "prisma", "protoc",
    "protoc-gen-go", "psalm", "psql", "pulumi", "pv", "pwsh", "pyenv", "pylint", "pyright",
    "pyright-langserver", "pytest", "python", "python2", "python3", "pyupgrade", "qemu-img",
    "qemu-system-x86_64", "racket", "raco", "rails", "rake", "rbenv", "rclone", "readelf",
    "rebar3", "redis-cli", "redis-server", "remake", "rg", "rollup", "rsvg-convert", "rsync",
    "rubocop", "ruby", "ruff", "rust-analyzer", "rustc", "rustdoc", "rustfmt", "rustup", "rvm",
    "rye", "sass", "sbcl", "sbt", "scala", "scalac", "sccache", "scons", "scp", "screen", "sd",
    "semgrep", "serverless", "sftp", "sh", "shards", "shellcheck", "shfmt", "skaffold", "skopeo",
    "slither", "snap", "snyk", "solc", "sops", "spectral", "sphinx-build", "sqlfluff", "sqlite3",
    "sqlx", "ssh", "stack", "staticcheck", "stern", "stow", "strace", "stylelint", "stylua",
    "supervisord", "svelte-kit", "svn", "swc", "swift", "swiftc", "swiftformat", "swiftlint",
    "systemctl", "systemd", "tailwindcss", "taplo", "tar", "task", "tcpdump", "terraform",
    "terraform-docs", "terragrunt", "tesseract", "tflint", "tidy", "tig", "tilt", "tmux", "tofu",
    "tokei", "tox", "tree", "tree-sitter", "trivy", "truffle", "ts-node", "tsc", "tshark", "tsup",
    "tsx", "turbo", "typescript-language-server", "typos", "unison", "unzip", "usql", "uv",
    "uvicorn", "uvx", "vagrant", "vale", "valgrind", "vault", "vercel", "vim", "vite", "vitest",
    "volta", "vue", "vue-cli", "wasm-bindgen", "wasm-opt", "wasm-pack", "wasm-tools", "wasmer",
    "wasmtime", "wat2wasm", "watchexec", "webpack", "webpack-cli", "wget", "wkhtmltopdf",
    "wrangler", "wrk", "xcodebuild", "xelatex", "xmake", "xmllint", "xz", "yamllint", "yapf",
    "yarn", "yasm", "yq", "ytt", "zellij", "zig", "zip", "zsh", "zstd",
];

/// Tools for which `-v` alone is the version; for others it may be another option.
const SHORT_VERSION: &[&str] = &[
    "bun", "composer", "docker", "gcc", "gem", "java", "lua", "make", "nginx", "ninja", "node",
    "nodejs", "npm", "npx", "nvim", "php", "pnpm", "ruby", "tsc", "unzip", "uv", "vite", "yarn",
    "zip",
];

/// Whether the only thing that is asked for is the version or a help text.
pub(super) fn only_asks_for_version(name: &str, arguments: &[Argument]) -> bool {
    let [argument] = arguments else {
        return false;
    };
    if !argument.is_literal() {
        return false;
    }
    match argument.text.as_str() {
        // The help of git and man pages open a pager on a terminal, and it can start programs.
        "--help" => name != "git" && is_tool(name),
        "--version" => is_tool(name),
        "-V" | "-VV" | "-vV" => !matches!(name, "node" | "npm") && is_tool(name),
        "-version" => [
            "ant", "ffmpeg", "ffprobe", "identify", "java", "javac", "magick", "scala",
            "xcodebuild",
        ]
        .contains(&name),
        "-v" => SHORT_VERSION.binary_search(&name).is_ok(),
        "version" => matches!(
            name,
            "buf" | "docker" | "go" | "helm" | "kind" | "minikube" | "terraform" | "tofu" | "zig"
        ),
        _ => false,
    }
}

/// Also with a version in the name, as in `python3.12` or `gcc-13`.
fn is_tool(name: &str) -> bool {
    let known = |name: &str| TOOLS.binary_search(&name).is_ok();
    known(name)
        || known(name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.'))
        || known(name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(TOOLS.is_sorted() && SHORT_VERSION.is_sorted());
    }
}
