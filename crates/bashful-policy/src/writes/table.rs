//! Which arguments of a program are written.

use super::options::{Shape, Style};
use super::target::Way;

/// What is known about a program that writes what its arguments name.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) names: &'static [&'static str],
    pub(super) shape: Shape,
    /// Which operands are written.
    pub(super) operands: Operands,
    /// When the operands are written.
    pub(super) when: When,
    /// Options whose values are written.
    pub(super) outputs: &'static [&'static str],
    pub(super) way: Way,
    pub(super) surety: Surety,
    /// Options that run other programs, or do more than the table says.
    pub(super) beyond: &'static [&'static str],
}

/// Which operands are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    None,
    All,
    First,
    Last,
    /// All but the first.
    AfterFirst,
    /// Only the second operand.
    Second,
    /// All but the first, of which at least two are given.
    LastOfSeveral,
}

/// When the operands are written.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    Always,
    /// Only with one of these options.
    With(&'static [&'static str]),
    /// Only without all of these options.
    Without(&'static [&'static str]),
}

/// How much the table says about a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Surety {
    /// All that it does.
    Whole,
    /// Only what it writes.
    Outputs,
    /// What it probably writes.
    Guess,
}

const fn writer(names: &'static [&'static str], operands: Operands, surety: Surety) -> Writer {
    Writer {
        names,
        shape: Shape::PLAIN,
        operands,
        when: When::Always,
        outputs: &[],
        way: Way::Write,
        surety,
        beyond: &[],
    }
}

const fn whole(names: &'static [&'static str], operands: Operands) -> Writer {
    writer(names, operands, Surety::Whole)
}

/// A program of which only its options with a value are known, and which of those are outputs.
const fn output(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    outputs: &'static [&'static str],
) -> Writer {
    writer(names, Operands::None, Surety::Outputs)
        .valued(short, long)
        .outputs(outputs)
}

impl Writer {
    const fn valued(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.shape.short = short;
        self.shape.long = long;
        self
    }

    const fn attached(mut self, letters: &'static str) -> Self {
        self.shape.attached = letters;
        self
    }

    const fn words(mut self, names: &'static [&'static str]) -> Self {
        self.shape.style = Style::Words;
        self.shape.long = names;
        self
    }

    const fn outputs(mut self, outputs: &'static [&'static str]) -> Self {
        self.outputs = outputs;
        self
    }

    const fn operands(mut self, operands: Operands) -> Self {
        self.operands = operands;
        self
    }

    const fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    const fn way(mut self, way: Way) -> Self {
        self.way = way;
        self
    }

    const fn beyond(mut self, options: &'static [&'static str]) -> Self {
        self.beyond = options;
        self
    }

    const fn guess(mut self) -> Self {
        self.surety = Surety::Guess;
        self
    }
}

/// What is known about a program.
pub(super) fn writer_of(program: &str) -> Option<&'static Writer> {
    let program = compiler(program);
    WRITERS
        .iter()
        .find(|writer| writer.names.contains(&program))
}

/// A compiler's plain name, without its version and target: `aarch64-linux-gnu-gcc-12`.
fn compiler(program: &str) -> &str {
    let plain = program.trim_end_matches(|character: char| {
        character.is_ascii_digit() || character == '.' || character == '-'
    });
    let plain = plain.rsplit('-').next().unwrap_or(plain);
    let known =
        ["gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as", "objcopy", "strip", "ar"];
    if known.contains(&plain) {
        plain
    } else {
        program
    }
}

const TO_STDOUT: &[&str] = &["-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test"];

/// The programs that write what their arguments name.
#[rustfmt::skip]
static WRITERS: &[Writer] = &[
    // Files and directories.
    whole(&["rm", "unlink", "rmdir"], Operands::All).way(Way::Delete),
    whole(&["mkdir", "mkfifo"], Operands::All).valued("m", &["mode"]).way(Way::Change),
    whole(&["mknod"], Operands::First).valued("m", &["mode"]).way(Way::Change),
    whole(&["touch"], Operands::All).valued("drt", &["date", "reference", "time"]).way(Way::Change),
    whole(&["tee", "sponge"], Operands::All),
    whole(&["truncate"], Operands::All).valued("sr", &["size", "reference"]).way(Way::Delete),
    whole(&["fallocate"], Operands::All).valued("lon", &["length", "offset"]),
    whole(&["chown", "chgrp"], Operands::AfterFirst).valued("", &["from", "reference"])
        .way(Way::Change),
    whole(&["setfacl"], Operands::All)
        .valued("mMxX", &["modify", "remove", "modify-file", "remove-file", "set", "set-file"])
        .way(Way::Change).beyond(&["--restore"]),
    whole(&["setfattr"], Operands::All).valued("nvx", &["name", "value", "remove"]).way(Way::Change)
        .beyond(&["--restore"]),
    // Compression in place.
    whole(&["gzip", "gunzip", "pigz", "unpigz", "compress", "uncompress"], Operands::All)
        .valued("Sbp", &["suffix"]).when(When::Without(TO_STDOUT)).way(Way::Change),
    whole(&["bzip2", "bunzip2", "pbzip2"], Operands::All).when(When::Without(TO_STDOUT))
        .way(Way::Change),
    whole(&["xz", "unxz", "lzma", "unlzma", "lzip", "plzip", "lzop"], Operands::All)
        .valued("SMTFCo", &["suffix", "threads", "memlimit", "format", "check", "output"])
        .when(When::Without(TO_STDOUT)).outputs(&["-o", "--output"]).way(Way::Change)
        .beyond(&["--files", "--files0"]),
    whole(&["zstd", "unzstd", "zstdmt", "pzstd", "brotli", "lz4", "unlz4"], Operands::All)
        .valued("oDTMSq", &["output-dir-flat", "output-dir-mirror", "output", "suffix", "filelist"])
        .when(When::Without(TO_STDOUT))
        .outputs(&["-o", "--output", "--output-dir-flat", "--output-dir-mirror"]).way(Way::Write)
        .beyond(&["--filelist"]),
    // Text.
    whole(&["sort"], Operands::None)
        .valued("okStTP",
        &["output", "key", "field-separator", "buffer-size", "temporary-directory",
          "compress-program", "files0-from", "batch-size", "parallel", "random-source"])
        .outputs(&["-o", "--output", "-T", "--temporary-directory"])
        .beyond(&["--compress-program"]),
    whole(&["shuf"], Operands::None)
        .valued("oin", &["output", "input-range", "head-count", "random-source"])
        .outputs(&["-o", "--output"]),
    whole(&["uniq"], Operands::Second).valued("fsw", &["skip-fields", "skip-chars", "check-chars"]),
    whole(&["xxd"], Operands::Second)
        .words(&["c", "cols", "g", "groupsize", "l", "len", "n", "name", "o", "s", "seek", "R"]),
    whole(&["split"], Operands::AfterFirst)
        .valued("abClnt",
        &["suffix-length", "bytes", "lines", "line-bytes", "number", "separator",
          "additional-suffix", "filter"]).beyond(&["--filter"]),
    whole(&["csplit"], Operands::None).valued("fbn", &["prefix", "suffix-format", "digits"])
        .outputs(&["-f", "--prefix"]),
    whole(&["dos2unix", "unix2dos", "mac2unix", "unix2mac"], Operands::All)
        .valued("c", &["convmode"]).when(When::Without(&["-O", "--to-stdout", "-i", "--info"])),
    whole(&["iconv"], Operands::None).valued("fto", &["from-code", "to-code", "output"])
        .outputs(&["-o", "--output"]),
    whole(&["patch"], Operands::First)
        .valued("odriBpDFVYzg",
        &["output", "directory", "reject-file", "input", "prefix", "strip", "ifdef", "fuzz",
          "basename-prefix", "suffix"])
        .outputs(&["-o", "--output", "-d", "--directory", "-r", "--reject-file"])
        .beyond(&["-e", "--ed", "-g", "--get"]),
    whole(&["yq"], Operands::AfterFirst).valued("opI", &["output-format", "input-format", "indent"])
        .when(When::With(&["-i", "--inplace", "--in-place"]))
        .beyond(&["-s", "--split-exp", "--from-file"]),
    whole(&["tree"], Operands::None).valued("oLPIHT", &["filelimit", "charset", "timefmt"])
        .outputs(&["-o"]).beyond(&["-R"]),
    whole(&["ranlib"], Operands::All).beyond(&["--plugin"]),
    whole(&["strip"], Operands::All)
        .valued("oKNRFIO", &["keep-symbol", "strip-symbol", "remove-section", "target"])
        .outputs(&["-o"]),
    whole(&["unzip"], Operands::None).valued("dP", &[]).outputs(&["-d"]),
    whole(&["zip"], Operands::First)
        .valued("bnPO",
        &["temp-path", "suffixes", "password", "out", "output-file", "unzip-command"])
        .outputs(&["-b", "-O", "--out", "--output-file", "--temp-path"])
        .beyond(&["-T", "-m", "--move", "-d", "-@", "--unzip-command"]),
    whole(&["ar"], Operands::Second).beyond(&["--plugin"]),
    // What only its outputs are known of.
    output(&["ed", "ex", "red"], "p", &[], &[]).operands(Operands::All),
    output(&["curl"], "oDcTuHdXAbeEmrFKxwYyzCtUQ",
        &["output", "output-dir", "dump-header", "cookie-jar", "trace", "trace-ascii", "stderr",
          "libcurl", "hsts", "etag-save", "alt-svc", "header", "data", "request", "user"],
        &["-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar", "--trace",
          "--trace-ascii", "--stderr", "--libcurl", "--hsts", "--etag-save", "--alt-svc"]),
    output(&["wget", "wget2"], "OPoaUeitTwQAXDRIl",
        &["output-document", "directory-prefix", "output-file", "append-output", "save-cookies",
          "warc-file", "rejected-log", "hsts-file", "header", "user-agent"],
        &["-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a",
          "--append-output", "--save-cookies", "--warc-file", "--rejected-log", "--hsts-file"]),
    output(&["aria2c", "axel", "yt-dlp", "youtube-dl"], "doPi", &["dir", "out", "output", "paths"],
        &["-d", "--dir", "-o", "--out", "--output", "-P", "--paths"]),
    output(&["gcc", "g++", "cc", "c++", "clang", "clang++", "tcc", "ld", "lld", "gold", "as",
        "nasm", "yasm", "ghc", "nvcc", "ocamlopt", "ocamlc", "gfortran", "gdc", "ldc2", "swiftc"],
        "oILDUxlTe", &[], &["-o", "-MF", "--output", "-dumpdir", "-outputdir"])
        .attached("MWfmgOsp"),
    output(&["rustc", "rustdoc"], "oLlCA",
        &["out-dir", "crate-name", "crate-type", "edition", "emit", "target", "cfg"],
        &["-o", "--out-dir"]),
    output(&["zig", "dmd", "fpc"], "", &[], &["-femit-bin", "-of", "-od"]),
    output(&["javac", "kotlinc", "scalac"], "", &[], &["-d", "-s", "-h"])
        .words(&["d", "s", "h", "cp", "classpath", "sourcepath", "source", "target"]),
    output(&["jar"], "fCem", &["file", "main-class", "manifest"], &["-f", "--file", "-C"]),
    output(&["tsc"], "", &[], &["--outDir", "--outFile", "--declarationDir", "--tsBuildInfoFile"])
        .words(&["outDir", "outFile", "declarationDir", "tsBuildInfoFile", "p", "project"]),
    output(&["esbuild", "rollup", "webpack", "vite", "parcel", "swc", "babel", "tailwindcss",
        "sass"], "od",
        &["outfile", "outdir", "outDir", "output", "dir", "out-dir", "out-file", "output-path",
          "dist-dir", "file"],
        &["--outfile", "--outdir", "--outDir", "-o", "--output", "-d", "--dir", "--out-dir",
          "--out-file", "--output-path", "--dist-dir", "--file"]),
    output(&["pandoc", "rst2html", "asciidoctor", "typst", "marp"], "oDtfrM",
        &["output", "to", "from", "extract-media", "out-file", "destination-dir", "log", "read",
          "write"],
        &["-o", "--output", "--extract-media", "--out-file", "-D", "--destination-dir", "--log"]),
    output(&["objcopy", "llvm-objcopy"], "OIBjRKN", &[], &["--dump-section"])
        .operands(Operands::Last),
    output(&["openssl"], "", &[],
        &["-out", "-keyout", "-writerand", "-CAcreateserial", "-signerout"])
        .words(&["out", "keyout", "in", "inkey", "key", "days", "subj", "config", "passin",
        "passout", "writerand", "CA", "CAkey", "extfile"]),
    output(&["gpg", "gpg2", "age", "minisign", "signify"], "oruR",
        &["output", "recipient", "homedir", "status-file", "logger-file", "local-user"],
        &["-o", "--output", "--homedir", "--status-file", "--logger-file"]),
    output(&["ssh-keygen"], "fCNtbPI", &[], &["-f"]),
    output(&["strace", "ltrace", "dtruss"], "oepsuaEXIOPbS", &["output", "trace", "attach"],
        &["-o", "--output"]),
    output(&["perf"], "oeFpt", &["output", "event", "pid"], &["-o", "--output"]),
    output(&["valgrind", "heaptrack"], "o", &[],
        &["--log-file", "--xml-file", "--massif-out-file", "--callgrind-out-file",
          "--cachegrind-out-file", "-o"]),
    output(&["time", "gtime"], "of", &["output", "format"], &["-o", "--output"]),
    output(&["tcpdump", "tshark", "dumpcap"], "wricsCGWyzFf", &[], &["-w"]),
    output(&["script", "scriptreplay"], "cEIOBTom",
        &["command", "log-out", "log-io", "log-in", "log-timing", "echo"],
        &["-I", "-O", "-B", "-T", "--log-out", "--log-io", "--log-in", "--log-timing"])
        .operands(Operands::Last),
    output(&["ffmpeg", "avconv", "sox"], "", &[],
        &["-report", "-progress", "-vstats_file", "-passlogfile"])
        .words(&["i", "c", "vf", "af", "f", "r", "s", "t", "ss", "to", "map", "c:v", "c:a", "b:v",
        "b:a", "crf", "preset", "progress", "vstats_file", "passlogfile", "filter_complex",
        "vcodec", "acodec", "codec", "loglevel", "v", "vn", "frames:v", "vframes", "pix_fmt"])
        .operands(Operands::Last),
    output(&["convert", "magick", "composite", "montage", "cwebp", "dwebp", "rsvg-convert",
        "pdftoppm", "wkhtmltopdf", "wkhtmltoimage", "qpdf", "ps2pdf", "pdfunite", "cjpeg", "djpeg"],
        "", &[], &["-o", "--output", "-write"])
        .words(&["o", "output", "write", "resize", "quality"]).operands(Operands::LastOfSeveral),
    output(&["mogrify", "optipng", "jpegoptim", "pngquant", "exiftool"], "", &[],
        &["-path", "-o", "-out", "-dir", "-d", "--dest", "--output", "-w", "-textOut"])
        .words(&["path", "o", "out", "dir", "d", "dest", "output", "w", "textOut", "resize",
        "quality"]).operands(Operands::All).guess(),
    output(&["gs"], "", &[], &["-sOutputFile", "-o"]).words(&["o"]),
    output(&["pdftotext", "pdftohtml", "djvutxt", "ps2ascii"], "flrxyWH", &[], &[])
        .operands(Operands::LastOfSeveral),
    output(&["inkscape", "dot", "neato", "circo", "fdp", "plantuml", "drawio", "mmdc", "gnuplot"],
        "oTiwC", &["export-filename", "output", "input"],
        &["-o", "--export-filename", "--output", "-output"]),
    output(&["pdflatex", "xelatex", "lualatex", "latex", "latexmk", "tectonic", "bibtex",
        "makeindex"], "", &[],
        &["-output-directory", "--output-directory", "-outdir", "--outdir", "-auxdir", "-o"])
        .words(&["output-directory", "outdir", "auxdir", "o", "jobname", "interaction"]),
    output(&["bison", "flex", "lex", "yacc", "re2c", "ragel", "gperf", "swig", "flatc", "capnp",
        "thrift", "xsltproc", "xmllint", "tidy", "sdiff", "wasm-ld", "wat2wasm", "wasm-opt",
        "uglifyjs", "terser", "psql", "cscope", "ctags", "dwarfdump", "wasm-pack", "help2man",
        "xgettext", "msgfmt", "mcs", "gdbus-codegen", "rpcgen", "dtc", "mkimage", "bindgen",
        "cbindgen", "minify", "jsonnet", "helm", "kustomize", "csc", "vbc"], "ofL",
        &["output", "outfile", "outdir", "output-file", "output-dir", "log-file", "out-dir",
          "report-file"],
        &["-o", "--output", "--outfile", "--outdir", "--output-file", "--output-dir",
          "--output-document", "--log-file", "--out-dir", "-L", "--report-file"]),
    output(&["mksquashfs", "genisoimage", "mkisofs", "xorriso"], "oV", &[],
        &["-o", "-outdev", "-dev"]).words(&["o", "outdev", "dev", "e", "comp"])
        .operands(Operands::AfterFirst).guess(),
    output(&["unsquashfs", "cabextract", "dpkg-deb", "arj"], "df", &[],
        &["-d", "-dest", "--directory"]).operands(Operands::LastOfSeveral).guess(),
    output(&["perl", "ruby"], "eEIMmCrFx", &[], &[]).attached("iDV").when(When::With(&["-i"]))
        .operands(Operands::All),
    output(&["rename", "prename", "file-rename", "perl-rename", "mmv"], "e", &[], &[])
        .operands(Operands::AfterFirst),
    output(&["sqlite3", "duckdb"], "", &[], &["-init"]).words(&["init", "cmd", "separator"])
        .operands(Operands::First).guess(),
    output(&["virtualenv", "pyvenv"], "p", &["python", "prompt", "app-data"],
        &["--app-data", "--dest"]).operands(Operands::All),
    output(&["cmake"], "SBGDCTAU",
        &["build", "install", "prefix", "install-prefix", "target", "config", "parallel", "preset",
          "open"],
        &["-B", "--install-prefix", "--prefix", "--graphviz", "--trace-redirect",
          "--profiling-output"]),
    output(&["make", "gmake", "ninja", "bmake", "samu"], "CfIolWk",
        &["directory", "file", "makefile", "jobs", "include-dir"], &["-C", "--directory"])
        .attached("jl"),
    output(&["meson"], "CD", &["prefix", "destdir"], &["-C", "--prefix", "--destdir"]),
    output(&["pip", "pip3", "pipx", "uv"], "trcbidfwo",
        &["target", "prefix", "root", "src", "dest", "cache-dir", "wheel-dir", "log", "report",
          "requirement", "constraint", "index-url", "extra-index-url", "find-links", "directory",
          "project", "output-file", "build", "path", "python"],
        &["-t", "--target", "--prefix", "--root", "--src", "-d", "--dest", "--cache-dir", "-w",
          "--wheel-dir", "--log", "--report", "--directory", "--project", "-o", "--output-file",
          "--build", "--path"]),
    output(&["npm", "pnpm", "yarn", "npx", "bun"], "Cw",
        &["prefix", "cwd", "dir", "cache", "pack-destination", "modules-folder", "cache-folder",
          "store-dir", "workspace", "outdir", "outfile", "registry"],
        &["-C", "--prefix", "--cwd", "--dir", "--cache", "--pack-destination", "--modules-folder",
          "--cache-folder", "--store-dir", "--outdir", "--outfile", "--install-links-dir"]),
    output(&["cargo"], "CpFjZ",
        &["target-dir", "root", "out-dir", "artifact-dir", "package", "features", "manifest-path",
          "config", "target", "profile"],
        &["-C", "--target-dir", "--root", "--out-dir", "--artifact-dir", "--build-dir",
          "--manifest-path"]),
    output(&["go"], "", &[],
        &["-o", "-C", "-coverprofile", "-cpuprofile", "-memprofile", "-blockprofile",
          "-mutexprofile", "-trace", "-outputdir", "-pkgdir", "-modcacherw"])
        .words(&["o", "C", "coverprofile", "cpuprofile", "memprofile", "blockprofile",
        "mutexprofile", "trace", "outputdir", "pkgdir", "run", "tags", "ldflags", "gcflags",
        "count", "timeout", "bench"]),
    output(&["gem", "bundle", "bundler"], "inv",
        &["install-dir", "bindir", "path", "build-root", "version"],
        &["-i", "--install-dir", "-n", "--bindir", "--path", "--build-root"]),
    output(&["docker", "podman", "nerdctl", "buildah"], "oft",
        &["output", "iidfile", "cidfile", "metadata-file", "file", "tag"],
        &["-o", "--output", "--iidfile", "--cidfile", "--metadata-file"]),
    output(&["terraform", "tofu", "packer"], "", &[],
        &["-out", "-state-out", "-backup", "-state", "-chdir"])
        .words(&["out", "state-out", "backup", "state", "chdir", "var", "var-file"]),
    output(&["composer", "poetry", "pdm", "hatch", "mvn", "gradle", "dotnet", "mix", "stack",
        "cabal"], "dCo", &["working-dir", "directory", "output", "project-cache-dir"],
        &["-d", "--working-dir", "-C", "--directory", "-o", "--output", "--project-cache-dir"])
        .guess(),
    output(&["pytest", "py.test", "mypy", "ruff", "pylint", "flake8", "eslint", "jest", "vitest",
        "clang-tidy", "clang-format", "shellcheck", "semgrep", "bandit", "nosetests"], "o",
        &["output-file", "junitxml", "junit-xml", "basetemp", "data-file", "cache-dir",
          "outputFile", "coverageDirectory", "html-report", "xml-report", "txt-report",
          "export-fixes", "result-log", "log-file"],
        &["-o", "--output", "--output-file", "--junitxml", "--junit-xml", "--basetemp",
          "--rootdir-output", "--cov-report-file", "--data-file", "--cache-dir", "--outputFile",
          "--coverageDirectory", "--html-report", "--xml-report", "--txt-report",
          "--junit-prefix-file", "--export-fixes", "--result-log", "--log-file", "--debug-file"]),
    output(&["protoc"], "oI",
        &["proto_path", "cpp_out", "java_out", "python_out", "pyi_out", "go_out", "go-grpc_out",
          "js_out", "ts_out", "ruby_out", "php_out", "csharp_out", "objc_out", "kotlin_out",
          "rust_out", "grpc_out", "grpc_python_out", "grpc-gateway_out", "dart_out", "swift_out",
          "doc_out", "openapiv2_out", "descriptor_set_out", "dependency_out"],
        &["-o", "--cpp_out", "--java_out", "--python_out", "--pyi_out", "--go_out", "--go-grpc_out",
          "--js_out", "--ts_out", "--ruby_out", "--php_out", "--csharp_out", "--objc_out",
          "--kotlin_out", "--rust_out", "--grpc_out", "--grpc_python_out", "--grpc-gateway_out",
          "--dart_out", "--swift_out", "--doc_out", "--openapiv2_out", "--descriptor_set_out",
          "--dependency_out"]),
    output(&["coverage"], "do", &["directory", "data-file", "rcfile"],
        &["-d", "--directory", "-o", "--data-file"]),
    output(&["sphinx-build", "sphinx-apidoc"], "bdcDtAowj", &[], &["-d", "-o", "-w"])
        .operands(Operands::Second),
    output(&["mkdocs", "mdbook", "jekyll", "hugo"], "dsf",
        &["site-dir", "dest-dir", "destination", "config-file"],
        &["-d", "--site-dir", "--dest-dir", "--destination"]),
    output(&["tox", "nox"], "ecfsk", &["workdir", "envdir", "result-json", "report"],
        &["--workdir", "--envdir", "--result-json", "--report"]),
    output(&["xcodebuild", "fpm", "rpmbuild", "dpkg-buildpackage", "debuild"], "p", &[],
        &["-derivedDataPath", "-p", "--package"]).guess(),
    output(&["wipe", "srm", "scrub"], "", &[], &[]).operands(Operands::All).way(Way::Delete),
    output(&["tempfile"], "dps", &[], &["-d", "-n"]),
    output(&["trash", "trash-put", "rimraf", "del-cli"], "", &[], &[]).operands(Operands::All)
        .way(Way::Delete),
    output(&["svn", "hg", "bzr", "fossil"], "rR", &["repository", "revision"],
        &["-R", "--repository"]),
    output(&["mysqldump", "pg_dump", "pg_dumpall", "mongodump", "pg_basebackup"], "rfoTDhUpu",
        &["result-file", "file", "out", "tab", "pgdata", "host", "user", "username"],
        &["-r", "--result-file", "-f", "--file", "-o", "--out", "-T", "--tab", "-D", "--pgdata"]),
    output(&["lsof", "ss", "netstat"], "D", &[], &["-D"]),
    output(&["screen", "tmux"], "", &[], &["-Logfile"]).words(&["Logfile"]),
    output(&["bpftrace", "gcore"], "o", &[], &["-o"]),
    output(&["history"], "dswarnp", &[], &["-w", "-a"]),
    output(&["logrotate"], "sl", &["state", "log"], &["-s", "-l", "--state", "--log"]),
    output(&["fdupes", "jdupes"], "", &[], &[])
        .when(When::With(&["-d", "--delete", "-deleteduplicates"])).operands(Operands::All)
        .way(Way::Delete).guess(),
    output(&["ncftpget", "rclone", "gsutil", "s3cmd", "mc"], "", &[], &[])
        .operands(Operands::LastOfSeveral).guess(),
];
