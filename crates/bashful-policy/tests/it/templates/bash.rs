//! Runs many bound scripts in one bash and returns what each of them was given.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use bashful_policy::{Missing, Template, TemplateName, Value, read_template};

/// A directory that scripts run in; what a value made there is seen afterwards.
pub(crate) struct Bash {
    pub(crate) root: PathBuf,
}

/// What a script printed through `show`: one list of words for each call.
pub(crate) type Shown = Vec<Vec<String>>;

/// `show` prints how many words it got, and each of them.
const SHOW: &str = r#"show() { local IFS=' '; builtin printf '%d\0' "$#"; [ "$#" = 0 ] || builtin printf '%s\0' "$@"; }
"#;

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Bash {
    pub(crate) fn new() -> Self {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("bashful-templates-{}-{next}", std::process::id());
        let root = std::env::temp_dir().join(name);
        fs::create_dir(&root).unwrap();
        fs::create_dir(root.join("work")).unwrap();
        Self { root }
    }

    /// Runs texts, each in a shell of its own, and returns what each printed and complained.
    pub(crate) fn run(&self, texts: &[String]) -> Vec<(Shown, String)> {
        let cases = self.root.join("cases");
        let _ = fs::remove_dir_all(&cases);
        fs::create_dir(&cases).unwrap();
        for (index, text) in texts.iter().enumerate() {
            fs::write(cases.join(format!("{index}.sh")), text).unwrap();
        }
        let workers = 2_usize;
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let cases = &cases;
                scope.spawn(move || {
                    let driver = format!(
                        "{SHOW}mkdir ../work-{worker}; cd ../work-{worker} || exit\nfor ((n = {worker}; n < {}; n += {workers})); do\n\
                         ( . ../cases/$n.sh ) > ../cases/$n.out 2> ../cases/$n.err < /dev/null\n\
                         done\n",
                        texts.len()
                    );
                    let file = cases.join(format!("driver-{worker}.sh"));
                    fs::write(&file, driver).unwrap();
                    let status = Command::new("timeout")
                        .args(["120", "bash", "--norc", "--noprofile"])
                        .arg(&file)
                        .env_clear()
                        .env("PATH", "/usr/bin:/bin")
                        .env("LANG", "C.UTF-8")
                        .current_dir(cases)
                        .stdin(Stdio::null())
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .status()
                        .unwrap();
                    assert!(status.code().is_some());
                });
            }
        });
        let read = |index: usize, end: &str| {
            fs::read(cases.join(format!("{index}.{end}"))).unwrap_or_default()
        };
        (0..texts.len())
            .map(|index| {
                let error = String::from_utf8_lossy(&read(index, "err")).into_owned();
                (shown(&read(index, "out")), error)
            })
            .collect()
    }

    /// What lies in the directory where the scripts ran.
    pub(crate) fn left(&self) -> Vec<String> {
        // Each worker has a directory of its own: scripts of both use the same names.
        let places = ["work", "work-0", "work-1"].map(|name| self.root.join(name));
        let entries = places.iter().filter_map(|place| fs::read_dir(place).ok());
        let names = entries
            .flatten()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.collect()
    }

    /// Runs one text as a file of its own, and returns its output, errors and code.
    pub(crate) fn file(&self, text: &str, arguments: &[&str]) -> (String, String, Option<i32>) {
        let file = self.root.join("work").join("script.sh");
        fs::write(&file, text).unwrap();
        let output = Command::new("bash")
            .args(arguments)
            .arg(&file)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .env("__bashful_1", "planted")
            .current_dir(self.root.join("work"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        fs::remove_file(&file).unwrap();
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
            output.status.code(),
        )
    }
}

impl Drop for Bash {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn shown(output: &[u8]) -> Shown {
    let text = String::from_utf8_lossy(output).into_owned();
    let mut words = text.split('\0');
    let mut shown = Shown::new();
    while let Some(count) = words.next().and_then(|word| word.parse::<usize>().ok()) {
        shown.push(words.by_ref().take(count).map(str::to_owned).collect());
    }
    shown
}

/// The values of a test, by name.
pub(crate) fn values(pairs: &[(&str, Value)]) -> impl Fn(&TemplateName) -> Option<Value> + use<> {
    let known: BTreeMap<String, Value> = pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    move |name: &TemplateName| known.get(name.as_str()).cloned()
}

/// A script that must be read.
pub(crate) fn read(script: &str) -> Template {
    read_template(script).unwrap_or_else(|error| panic!("{script}\n{error}"))
}

/// The text that runs for a script in which `a.b` is this value.
pub(crate) fn bound(template: &Template, value: &Value) -> String {
    let script = template.script();
    let known = values(&[("a.b", value.clone())]);
    let bound = template
        .bind(&known, Missing::Refuse)
        .unwrap_or_else(|error| panic!("{script}\n{:.200}\n{error}", format!("{value:?}")));
    let lines = |text: &str| text.matches('\n').count();
    assert_eq!(lines(&bound.text(&[])), lines(script), "{script}");
    bound.text(&[])
}

/// A text as a value.
pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
