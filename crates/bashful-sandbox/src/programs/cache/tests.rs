//! When an answer is remembered, and when it must not be.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::scan::tests::PROGRAM;
use super::*;

/// A tree with one program, deep down, and a directory for the cache.
struct Setting {
    _directory: tempfile::TempDir,
    tree: PathBuf,
    deep: PathBuf,
    cache: PathBuf,
}

/// The shipped rules, with the shortest wait that is safe on the file systems that
/// tests run on.
const RULES: Cache = Cache {
    limits: Limits {
        entries: 1000,
        depth: 10,
    },
    settling: Duration::from_millis(50),
    age: LONGEST_AGE,
};

impl Setting {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let tree = directory.path().join("tree");
        let deep = tree.join("a/b/c/d");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("prog"), PROGRAM).unwrap();
        fs::write(deep.join("text"), "text").unwrap();
        Self {
            cache: directory.path().join("one/cache"),
            _directory: directory,
            tree,
            deep,
        }
    }

    /// Waits until the tree counts as settled, then scans.
    fn settled(&self) -> (Vec<PathBuf>, Origin) {
        std::thread::sleep(RULES.settling * 3);
        self.now(RULES)
    }

    fn now(&self, rules: Cache) -> (Vec<PathBuf>, Origin) {
        rules
            .scan(std::slice::from_ref(&self.tree), Some(&self.cache))
            .unwrap()
    }

    fn file(&self) -> PathBuf {
        self.cache.join(file_name(std::slice::from_ref(&self.tree)))
    }

    fn only(&self) -> Vec<PathBuf> {
        vec![self.deep.join("prog")]
    }
}

#[test]
fn an_unchanged_tree_is_looked_at_once() {
    let setting = Setting::new();
    assert_eq!(setting.settled(), (setting.only(), Origin::Scan));
    assert_eq!(setting.now(RULES), (setting.only(), Origin::Memory));
    assert_eq!(setting.now(RULES), (setting.only(), Origin::Memory));
    let metadata = fs::metadata(setting.file()).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o600);
    assert_eq!(fs::read_dir(&setting.cache).unwrap().count(), 1);
}

#[test]
fn a_tree_that_changed_just_now_is_not_remembered() {
    let setting = Setting::new();
    let slow = Cache {
        settling: Duration::from_secs(3600),
        ..RULES
    };
    assert_eq!(setting.now(slow), (setting.only(), Origin::Scan));
    assert_eq!(setting.now(slow), (setting.only(), Origin::Scan));
}

#[test]
fn every_change_of_names_is_seen() {
    type Change = fn(&Setting);
    let changes: [(&str, Change); 6] = [
        ("a new program", |at| {
            fs::write(at.deep.join("new"), PROGRAM).unwrap();
        }),
        ("a file replaced as package managers do", |at| {
            fs::write(at.deep.join("text.new"), PROGRAM).unwrap();
            fs::rename(at.deep.join("text.new"), at.deep.join("text")).unwrap();
        }),
        ("a removed program", |at| {
            fs::remove_file(at.deep.join("prog")).unwrap();
        }),
        ("a directory replaced by another", |at| {
            let other = at.tree.join("a/b/other");
            fs::create_dir(&other).unwrap();
            fs::write(other.join("more"), PROGRAM).unwrap();
            fs::rename(at.tree.join("a/b/c"), at.tree.join("a/b/old")).unwrap();
            fs::rename(other, at.tree.join("a/b/c")).unwrap();
        }),
        ("the permissions of a directory", |at| {
            fs::set_permissions(&at.deep, fs::Permissions::from_mode(0o500)).unwrap();
            fs::set_permissions(&at.deep, fs::Permissions::from_mode(0o755)).unwrap();
        }),
        ("the root gone", |at| {
            fs::remove_dir_all(&at.tree).unwrap();
        }),
    ];
    for (what, change) in changes {
        let setting = Setting::new();
        setting.settled();
        assert_eq!(setting.now(RULES).1, Origin::Memory, "{what}");
        std::thread::sleep(RULES.settling);
        change(&setting);
        let expected = super::super::scan::scan(&setting.tree, RULES.limits).unwrap();
        assert_eq!(
            setting.settled(),
            (expected.clone(), Origin::Scan),
            "{what}"
        );
        assert_eq!(setting.now(RULES), (expected, Origin::Memory), "{what}");
    }
}

#[test]
fn a_memory_grows_old() {
    let setting = Setting::new();
    setting.settled();
    let rules = Cache {
        age: Duration::ZERO,
        ..RULES
    };
    assert_eq!(setting.now(rules).1, Origin::Scan);
    assert_eq!(setting.now(RULES).1, Origin::Memory);
}

#[test]
fn a_cache_open_to_others_or_damaged_is_replaced() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 8] = [
        ("writable by others", |file| {
            fs::set_permissions(file, fs::Permissions::from_mode(0o602)).unwrap();
        }),
        ("writable by the group", |file| {
            fs::set_permissions(file, fs::Permissions::from_mode(0o620)).unwrap();
        }),
        ("empty", |file| fs::write(file, "").unwrap()),
        ("garbage", |file| fs::write(file, [0xff; 5000]).unwrap()),
        ("nothing but ends of strings", |file| {
            fs::write(file, [0; 5000]).unwrap();
        }),
        ("cut", |file| {
            let bytes = fs::read(file).unwrap();
            fs::write(file, &bytes[..bytes.len() - 1]).unwrap();
        }),
        ("a link", |file| {
            let other = file.with_extension("other");
            fs::rename(file, &other).unwrap();
            symlink(other, file).unwrap();
        }),
        ("a second name", |file| {
            fs::hard_link(file, file.with_extension("other")).unwrap();
        }),
    ];
    for (what, damage) in damages {
        let setting = Setting::new();
        setting.settled();
        damage(&setting.file());
        assert_eq!(setting.now(RULES), (setting.only(), Origin::Scan), "{what}");
        assert_eq!(
            setting.now(RULES),
            (setting.only(), Origin::Memory),
            "{what}"
        );
        let metadata = fs::symlink_metadata(setting.file()).unwrap();
        assert_eq!(metadata.mode() & 0o7777, 0o600, "{what}");
    }
}

#[test]
fn a_pipe_in_place_of_the_cache_does_not_block() {
    let setting = Setting::new();
    fs::create_dir_all(&setting.cache).unwrap();
    fs::set_permissions(&setting.cache, fs::Permissions::from_mode(0o700)).unwrap();
    let (kind, mode) = (rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600));
    rustix::fs::mknodat(rustix::fs::CWD, setting.file(), kind, mode, 0).unwrap();
    assert_eq!(setting.settled(), (setting.only(), Origin::Scan));
    assert_eq!(setting.now(RULES), (setting.only(), Origin::Memory));
}

#[test]
fn a_directory_open_to_others_is_not_used() {
    let setting = Setting::new();
    fs::create_dir_all(&setting.cache).unwrap();
    fs::set_permissions(&setting.cache, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(setting.settled().1, Origin::Scan);
    assert_eq!(setting.now(RULES).1, Origin::Scan);
    assert_eq!(fs::read_dir(&setting.cache).unwrap().count(), 0);
}

#[test]
fn a_cache_of_another_user_is_not_believed() {
    let setting = Setting::new();
    setting.settled();
    let other = rustix::fs::Uid::from_raw(12345);
    let given = rustix::fs::chown(setting.file(), Some(other), None);
    // Only root can give a file away; for others the nearest is that they cannot.
    let expected = if given.is_ok() {
        Origin::Scan
    } else {
        Origin::Memory
    };
    assert_eq!(setting.now(RULES), (setting.only(), expected));
}

#[test]
fn other_roots_have_another_memory_and_results_are_joined() {
    let setting = Setting::new();
    setting.settled();
    let roots = [
        setting.tree.clone(),
        setting.deep.clone(),
        setting.tree.join("absent"),
    ];
    let scan = || RULES.scan(&roots, Some(&setting.cache)).unwrap();
    assert_eq!(scan(), (setting.only(), Origin::Scan));
    assert_eq!(scan(), (setting.only(), Origin::Memory));
    assert_eq!(setting.now(RULES).1, Origin::Memory);
    std::thread::sleep(RULES.settling);
    fs::create_dir(setting.tree.join("absent")).unwrap();
    assert_eq!(scan().1, Origin::Scan);
}

#[test]
fn it_works_without_a_directory() {
    let setting = Setting::new();
    let roots = [setting.tree.clone()];
    assert_eq!(cached_scan(&roots, None).unwrap(), setting.only());
    let impossible = Path::new("/proc/no/such/place");
    assert_eq!(
        cached_scan(&roots, Some(impossible)).unwrap(),
        setting.only()
    );
}

#[test]
fn a_record_is_read_back_as_written_and_never_half() {
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"/new\nline/\xff"));
    let record = Record {
        roots: vec![Path::new("/usr/lib"), odd],
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000),
        mounts: u64::MAX,
        stamps: 0,
        directories: vec![odd, Path::new("/usr/lib")],
        programs: vec![odd],
    };
    let bytes = record.to_bytes();
    assert_eq!(Record::from_bytes(&bytes), Some(record));
    for length in 0..bytes.len() {
        assert_eq!(Record::from_bytes(&bytes[..length]), None, "{length}");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert_eq!(Record::from_bytes(&changed), None, "{at}");
    }
}
