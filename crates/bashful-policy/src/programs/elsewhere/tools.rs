//! Which programs are tools of a project, and which of their options start other programs.

/// Tools for which there are rules that let them pass. Sorted.
pub(super) const TOOLS: &[&str] = &[
    "actionlint", "ansible-lint", "ant", "ar", "astro", "autopep8", "ava", "bandit",
    "basedpyright", "bats", "bazel", "bazelisk", "biome", "black", "bmake", "brakeman", "buck2",
    "buf", "bun", "bundle", "c++", "c8", "cabal", "cargo", "cc", "checkov", "checkstyle", "clang",
    "clang++", "clang-format", "clang-tidy", "clj-kondo", "cmake", "codespell", "compileall",
    "composer", "coverage", "cppcheck", "cpplint", "crystal", "ctest", "cucumber", "cypress",
    "dart", "deno", "detekt", "djlint", "dmd", "dmypy", "doctest", "dotnet", "doxygen", "dprint",
    "dune", "elm", "esbuild", "eslint", "flake8", "flutter", "forge", "fpc", "g++", "gcc",
    "gfortran", "ghc", "gleam", "gmake", "go", "gofmt", "gofumpt", "goimports", "golangci-lint",
    "gotestsum", "gradle", "gradlew", "hadolint", "haxe", "helm", "invoke", "isort", "jasmine",
    "javac", "jest", "just", "karma", "kotlinc", "ktlint", "kubeconform", "kustomize", "ld",
    "ldc2", "lein", "luacheck", "make", "markdownlint", "markdownlint-cli2", "meson", "mill",
    "mix", "mkdocs", "mocha", "msbuild", "mvn", "mvnd", "mvnw", "mypy", "nasm", "next", "ng",
    "nim", "ninja", "ninja-build", "node", "nosetests", "nox", "npm", "nx", "nyc", "ocamlc",
    "ocamlopt", "odin", "oxlint", "packer", "pants", "parcel", "pest", "php", "php-cs-fixer",
    "phpcs", "phpstan", "phpunit", "pint", "playwright", "pnpm", "pre-commit", "prettier",
    "protoc", "psalm", "py.test", "py_compile", "pycodestyle", "pydocstyle", "pyflakes", "pylint",
    "pyright", "pytest", "pyupgrade", "rake", "ranlib", "rebar3", "remake", "rollup", "rspec",
    "rubocop", "ruff", "rustc", "rustdoc", "rustfmt", "samu", "sbt", "scala-cli", "scalac",
    "scons", "selene", "shellcheck", "shfmt", "sphinx-build", "sqlfluff", "stack", "staticcheck",
    "stylelint", "stylua", "svelte-check", "swc", "swift", "swiftformat", "swiftlint", "taplo",
    "task", "tcc", "terraform", "tflint", "tidy", "tofu", "tox", "tsc", "tsup", "turbo", "typos",
    "unittest", "v", "vale", "venv", "vite", "vitest", "vue-tsc", "vulture", "waf", "ward",
    "webpack", "xcodebuild", "xmllint", "yamllint", "yapf", "yarn", "yasm", "zig",
];

/// Words of some tools.
#[derive(Debug)]
pub(super) struct Starter {
    pub(super) tools: &'static [&'static str],
    /// Words with which they start a program or run code that the command names. One that ends in
    /// a sign is a beginning.
    pub(super) words: &'static [&'static str],
}

const fn row(tools: &'static [&'static str], words: &'static [&'static str]) -> Starter {
    Starter { tools, words }
}

/// All of them.
pub(super) const STARTERS: &[Starter] = &[
    row(
        &["actionlint"],
        &["-shellcheck", "-shellcheck=", "-pyflakes", "-pyflakes=", "--shellcheck", "--pyflakes"],
    ),
    row(
        &["ant"],
        &["-listener", "-logger", "-inputhandler", "-main"],
    ),
    row(&["ava"], &["--node-arguments"]),
    row(&["bats"], &["--parallel-binary-name"]),
    row(
        &["bazel", "bazelisk", "buck2"],
        &["--workspace_status_command", "--test_wrapper", "--override_repository"],
    ),
    row(
        &["cabal", "stack"],
        &[
            "--with-gcc", "--with-ld", "--with-ar", "--with-alex", "--with-happy",
            "--test-wrapper", "--ghc-options=-pgm", "-w",
        ],
    ),
    row(&["cargo"], &["xtask deploy"]),
    row(&["clang", "clang++"], &["--config", "-mllvm"]),
    row(
        &["cmake", "ctest"],
        &[
            "-T", "-M", "--open", "-DExperimental", "CMAKE_C_COMPILER_LAUNCHER=",
            "CMAKE_CXX_COMPILER_LAUNCHER=", "Experimental", "Nightly", "Continuous", "uninstall",
        ],
    ),
    row(&["cppcheck"], &["--clang", "--exe"]),
    row(&["cucumber"], &["--publish"]),
    row(&["cypress"], &["--record"]),
    row(
        &["deno"],
        &[
            "-P", "-W", "-R", "-E", "-N", "-S", "-I", "-RWE", "-RW", "--permit-all", "--preload",
            "--ext",
        ],
    ),
    row(
        &["dotnet", "msbuild"],
        &[
            "-p:PreBuildEvent=", "-p:PostBuildEvent=", "/p:PreBuildEvent=", "/p:PostBuildEvent=",
            "--property:PreBuildEvent=", "--property:PostBuildEvent=", "-property:PreBuildEvent=",
            "-property:PostBuildEvent=", "-l:", "/l:", "/logger:", "-dl:", "-distributedLogger:",
            "-t:Exec",
        ],
    ),
    row(&["eslint"], &["--resolve-plugins-relative-to"]),
    row(&["forge"], &["--ffi"]),
    row(
        &["go"],
        &["-gccgoflags", "-gccgoflags=", "-compiler", "-compiler="],
    ),
    row(
        &["gotestsum", "golangci-lint"],
        &["-exec", "-exec=", "-toolexec", "-toolexec=", "--exec", "--toolexec", "-vettool="],
    ),
    row(
        &["gradle", "gradlew"],
        &["--scan", "-Dorg.gradle.jvmargs=", "-Dorg.gradle.java.home=", "-Porg.gradle.jvmargs="],
    ),
    row(&["haxe"], &["--cmd", "-cmd", "--macro"]),
    row(
        &["javac", "kotlinc", "scalac"],
        &[
            "-processor", "-processorpath", "--processor-path", "-Xplugin:", "-Xplugin=",
            "-script", "-toolcp", "-Xscript",
        ],
    ),
    row(
        &["ldc2", "dmd", "gdc"],
        &["-gcc=", "--gcc=", "-linker=", "--linker=", "-run"],
    ),
    row(&["lein"], &["eval", "update-in", "exec", "shell"]),
    row(
        &["mvn", "mvnd", "mvnw"],
        &[
            "-DargLine=-javaagent:", "-DargLine=-agent", "archetype:", "scm:",
            "-Dmaven.ext.class.path=",
        ],
    ),
    row(
        &["nim"],
        &[
            "--run", "-r", "--gcc.exe:", "--clang.exe:", "--gcc.exe=", "--cc:env",
            "--gcc.linkerexe:",
        ],
    ),
    row(
        &["nox", "tox"],
        &["-x", "--override", "exec", "--extra-python"],
    ),
    row(
        &["npm", "pnpm", "yarn", "bun", "cnpm"],
        &["--config.script-shell", "--config.node-options", "--globalconfig", "--init-module"],
    ),
    row(
        &["nx", "ng", "turbo"],
        &["exec", "--target=deploy", "--target=publish", "--target=release", "-t=deploy", "new"],
    ),
    row(
        &["ocamlc", "ocamlopt"],
        &["-pp", "-ppx", "-cc", "-as", "-custom"],
    ),
    row(&["pylint"], &["--init-hook"]),
    row(
        &["pytest", "py.test"],
        &["--pastebin", "--tx", "--rsyncdir"],
    ),
    row(
        &["rollup"],
        &[
            "--watch.onStart", "--watch.onEnd", "--watch.onBundleStart", "--watch.onBundleEnd",
            "--watch.onError",
        ],
    ),
    row(
        &["phpunit", "pest"],
        &["--printer", "--extension", "--loader"],
    ),
    row(&["rspec"], &["--drb"]),
    row(
        &["rustc", "rustdoc"],
        &["-Zcodegen-backend=", "codegen-backend=", "-Cllvm-args=", "llvm-args=", "-Cpasses="],
    ),
    row(
        &["sbt", "mill", "scala-cli"],
        &[
            "!", "eval ", "set ", "-e", "--execute-script", "-java-home", "--java-home",
            "--sbt-jar", "-sbt-jar",
        ],
    ),
    row(&["tsup"], &["--onSuccess", "--on-success"]),
    row(
        &["zig"],
        &["--test-cmd", "--test-cmd-bin", "install", "uninstall"],
    ),
];
