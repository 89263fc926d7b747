//! Names, links and scripts.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

struct Setting {
    _directory: tempfile::TempDir,
    root: PathBuf,
}

impl Setting {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["bin", "real", "work"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        Self {
            _directory: directory,
            root,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn file(&self, path: &str, content: &str, mode: u32) {
        fs::write(self.at(path), content).unwrap();
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn link(&self, path: &str, target: impl AsRef<Path>) {
        symlink(target, self.at(path)).unwrap();
    }

    /// Resolves with `bin` and `real` on the search path, from `work`.
    fn resolve(&self, name: &str) -> Result<Program, ProgramError> {
        let path = format!("{}:{}", self.at("bin").display(), self.at("real").display());
        resolve(name, &path, &self.at("work"))
    }

    fn program(&self, steps: &[&str], file: &str) -> Program {
        Program {
            steps: steps.iter().map(|step| self.at(step)).collect(),
            file: self.at(file),
            interpreter: None,
            interpreter_steps: Vec::new(),
        }
    }
}

#[test]
fn links_are_followed_and_named_step_by_step() {
    let setting = Setting::new();
    setting.file("real/mawk", "", 0o755);
    setting.link("bin/awk", setting.at("real/awk"));
    setting.link("real/awk", "./../real//mawk");
    setting.link("linked", "bin");
    let expected = setting.program(&["bin/awk", "real/awk"], "real/mawk");
    assert_eq!(setting.resolve("awk"), Ok(expected.clone()));
    assert_eq!(setting.resolve("../bin/awk"), Ok(expected.clone()));
    assert_eq!(
        setting.resolve("../linked/../bin/./awk"),
        Ok(expected.clone())
    );
    let absolute = setting.at("linked/awk");
    assert_eq!(setting.resolve(absolute.to_str().unwrap()), Ok(expected));
    assert_eq!(
        setting.resolve("mawk"),
        Ok(setting.program(&[], "real/mawk"))
    );
}

#[test]
fn the_search_passes_what_cannot_be_run() {
    let setting = Setting::new();
    setting.file("bin/tool", "", 0o644);
    setting.file("real/tool", "", 0o755);
    fs::create_dir(setting.at("bin/other")).unwrap();
    setting.file("real/other", "", 0o755);
    setting.link("bin/third", "third");
    setting.file("real/third", "", 0o755);
    for name in ["tool", "other", "third"] {
        let expected = setting.program(&[], &format!("real/{name}"));
        assert_eq!(setting.resolve(name), Ok(expected), "{name}");
    }
}

#[test]
fn an_empty_or_relative_element_means_the_working_directory() {
    let setting = Setting::new();
    setting.file("work/tool", "", 0o755);
    let expected = Ok(setting.program(&[], "work/tool"));
    for path in ["", "/nowhere:", ":/nowhere", ".", "../work"] {
        assert_eq!(
            resolve("tool", path, &setting.at("work")),
            expected,
            "{path:?}"
        );
    }
}

#[test]
fn what_is_no_program_is_said_by_name() {
    let setting = Setting::new();
    setting.file("bin/plain", "", 0o644);
    setting.link("bin/loop", "loop2");
    setting.link("bin/loop2", "loop");
    setting.link("bin/dangling", "nothing");
    setting.link("bin/directory", "../real");
    setting.link("bin/dots", "../real/..");
    setting.file("real/run", "", 0o755);
    let not_found = |name: &str| Err(ProgramError::NotFound { name: name.into() });
    let cases = [
        ("absent", not_found("absent")),
        ("bin", not_found("bin")),
        ("..", not_found("..")),
        ("dangling", not_found("dangling")),
        ("../bin/dangling", not_found("../bin/dangling")),
        ("../real/run/", not_found("../real/run/")),
        ("../real/run/x", not_found("../real/run/x")),
        (
            "plain",
            Err(ProgramError::NotExecutable {
                path: setting.at("bin/plain"),
            }),
        ),
        (
            "../bin/plain",
            Err(ProgramError::NotExecutable {
                path: setting.at("bin/plain"),
            }),
        ),
        (
            "../bin",
            Err(ProgramError::Directory {
                path: setting.at("bin"),
            }),
        ),
        (
            "../bin/",
            Err(ProgramError::Directory {
                path: setting.at("bin"),
            }),
        ),
        (
            "../bin/directory",
            Err(ProgramError::Directory {
                path: setting.at("real"),
            }),
        ),
        (
            "../bin/dots",
            Err(ProgramError::Directory {
                path: setting.root.clone(),
            }),
        ),
        ("/", Err(ProgramError::Directory { path: "/".into() })),
        (
            "../bin/loop",
            Err(ProgramError::TooManyLinks {
                path: setting.at("work/../bin/loop"),
            }),
        ),
        (
            "/dev/null",
            Err(ProgramError::NotExecutable {
                path: "/dev/null".into(),
            }),
        ),
    ];
    for (name, expected) in cases {
        assert_eq!(setting.resolve(name), expected, "{name}");
    }
    for name in ["", "a\0b", "a\nb", "/bin/sh\n"] {
        let expected = Err(ProgramError::BadName { name: name.into() });
        assert_eq!(setting.resolve(name), expected, "{name:?}");
    }
}

#[test]
fn as_many_links_as_the_kernel_follows_are_followed() {
    let setting = Setting::new();
    setting.file("real/0", "", 0o755);
    for number in 1..=41 {
        setting.link(&format!("real/{number}"), (number - 1).to_string());
    }
    assert_eq!(setting.resolve("40").unwrap().steps.len(), 40);
    assert!(fs::metadata(setting.at("real/40")).is_ok());
    let result = setting.resolve("../real/41");
    assert!(
        matches!(result, Err(ProgramError::TooManyLinks { .. })),
        "{result:?}"
    );
    assert!(fs::metadata(setting.at("real/41")).is_err());
}

#[test]
fn a_script_names_its_interpreter() {
    let setting = Setting::new();
    setting.file("real/dash", "", 0o755);
    setting.link("bin/sh", "../real/dash");
    let sh = setting.at("bin/sh");
    let expected = Program {
        interpreter: Some(setting.at("real/dash")),
        interpreter_steps: vec![sh.clone()],
        ..setting.program(&[], "bin/script")
    };
    for line in [
        "#!SH\n",
        "#! \t SH\t-e\nSH",
        "#!SH",
        "#!SH -x -y\n",
        "#!../bin/sh\n",
    ] {
        setting.file(
            "bin/script",
            &line.replace("SH", sh.to_str().unwrap()),
            0o755,
        );
        assert_eq!(setting.resolve("script"), Ok(expected.clone()), "{line:?}");
    }
    for text in ["#", "#!", "#!\n/bin/sh", "#!   \n", " #!/bin/sh", "echo"] {
        setting.file("bin/script", text, 0o755);
        let expected = setting.program(&[], "bin/script");
        assert_eq!(setting.resolve("script"), Ok(expected), "{text:?}");
    }
}

#[test]
fn a_script_without_its_interpreter_is_no_program() {
    let setting = Setting::new();
    setting.file("bin/script", "#!/no/such/shell -e\n", 0o755);
    // A shell stops at the script, whatever comes later on the search path.
    setting.file("real/script", "", 0o755);
    let expected = ProgramError::Interpreter {
        script: setting.at("bin/script"),
        interpreter: "/no/such/shell".into(),
    };
    assert_eq!(setting.resolve("script"), Err(expected));
}

#[test]
fn the_shell_of_this_host_is_found() {
    let shell = resolve("sh", "/usr/bin:/bin", Path::new("/")).unwrap();
    assert_eq!(shell.file, Path::new("/bin/sh").canonicalize().unwrap());
    assert_eq!(shell.interpreter, None);
}
