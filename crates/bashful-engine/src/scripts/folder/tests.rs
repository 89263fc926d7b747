//! Tests of the folder: what is refused, and that nothing is ever half written.

use crate::model::error::folder::FolderError;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::super::placing::Placing;
use super::*;

fn place() -> (tempfile::TempDir, PathBuf) {
    let house = tempfile::tempdir().unwrap();
    let path = house.path().join("bashful").join("scripts");
    (house, path)
}

fn put(folder: &Folder, id: ScriptId, text: &str) {
    let mut placing = Placing::written(folder, id, text).unwrap();
    placing.place().unwrap();
    placing.finish();
}

fn remove(folder: &Folder, id: ScriptId) {
    let mut placing = Placing::leaving(folder, id).unwrap();
    placing.place().unwrap();
    placing.finish();
}

fn write(folder: &Folder, text: &str) -> ScriptId {
    let id = ScriptId::fresh().unwrap();
    put(folder, id, text);
    id
}

#[test]
fn a_script_is_one_private_file() {
    let (_house, path) = place();
    assert!(Folder::open_existing(&path).unwrap().is_none());
    let folder = Folder::open(&path).unwrap();
    let id = write(&folder, "echo hi\n");
    let about = fs::metadata(path.join(format!("{id}.sh"))).unwrap();
    assert_eq!(about.mode() & 0o7777, 0o600);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o700);
    assert_eq!(
        folder.read(id).unwrap(),
        OnDisk::Text("echo hi\n".to_owned())
    );
    assert_eq!(folder.names().unwrap(), [format!("{id}.sh")]);
    put(&folder, id, "echo ho\n");
    assert_eq!(
        folder.read(id).unwrap(),
        OnDisk::Text("echo ho\n".to_owned())
    );
    remove(&folder, id);
    remove(&folder, id);
    assert_eq!(folder.read(id).unwrap(), OnDisk::Missing);
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
}

#[test]
fn a_draft_that_is_given_up_leaves_nothing() {
    let (_house, path) = place();
    let folder = Folder::open(&path).unwrap();
    let id = write(&folder, "echo hi\n");
    drop(Placing::written(&folder, id, "echo ho\n").unwrap());
    assert_eq!(
        folder.read(id).unwrap(),
        OnDisk::Text("echo hi\n".to_owned())
    );
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let (_house, path) = place();
    drop(Folder::open(&path).unwrap());
    for (mode, fits) in [
        (0o722, false),
        (0o720, false),
        (0o702, false),
        (0o755, true),
    ] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let found = Folder::open(&path);
        assert_eq!(found.is_ok(), fits, "{mode:o}: {found:?}");
        if let Err(error) = found {
            let expected = format!(
                "will not use the scripts folder `{}`: others can write to it",
                path.display()
            );
            assert_eq!(error.to_string(), expected);
        }
    }
    let above = path.parent().unwrap();
    fs::set_permissions(above, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(
        Folder::open(&path),
        Err(FolderError::Unsafe { path, .. }) if path == above
    ));
}

#[test]
fn a_link_in_place_of_the_folder_is_refused() {
    let (house, path) = place();
    let elsewhere = house.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::create_dir(path.parent().unwrap()).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(matches!(
        Folder::open(&path),
        Err(FolderError::Unsafe { .. })
    ));
    fs::remove_file(&path).unwrap();
    fs::write(&path, "no folder").unwrap();
    assert!(matches!(
        Folder::open(&path),
        Err(FolderError::Unsafe { .. })
    ));
}

#[test]
fn what_is_no_file_of_ours_is_not_read() {
    let (house, path) = place();
    let folder = Folder::open(&path).unwrap();
    let id = ScriptId::fresh().unwrap();
    let file = folder.path_of(id);
    let secret = house.path().join("secret");
    fs::write(&secret, "echo secret").unwrap();
    symlink(&secret, &file).unwrap();
    assert_eq!(folder.read(id).unwrap(), OnDisk::NotOurs("it is a link"));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(
        folder.read(id).unwrap(),
        OnDisk::NotOurs("it is not a regular file")
    );
    fs::remove_dir(&file).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &file, Mode::RUSR).unwrap();
    assert_eq!(
        folder.read(id).unwrap(),
        OnDisk::NotOurs("it is not a regular file")
    );
    fs::remove_file(&file).unwrap();
    fs::write(&file, "echo hi").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(
        folder.read(id).unwrap(),
        OnDisk::NotOurs("others can write to it")
    );
}

#[test]
fn what_is_no_script_is_told() {
    let (_house, path) = place();
    let folder = Folder::open(&path).unwrap();
    let id = write(&folder, "echo hi");
    let file = folder.path_of(id);
    let mut large = vec![b'#'; MAX_SCRIPT_BYTES + 1];
    let length = large.len() as u64;
    fs::write(&file, &large).unwrap();
    let unfit = |body| OnDisk::Unfit(body);
    assert_eq!(
        folder.read(id).unwrap(),
        unfit(UnfitBody::TooLong { length })
    );
    large.pop();
    fs::write(&file, &large).unwrap();
    assert!(matches!(folder.read(id).unwrap(), OnDisk::Text(_)));
    fs::write(&file, "").unwrap();
    assert_eq!(folder.read(id).unwrap(), unfit(UnfitBody::Empty));
    fs::write(&file, b"a\0b").unwrap();
    assert!(matches!(
        folder.read(id).unwrap(),
        OnDisk::Unfit(UnfitBody::Binary { .. })
    ));
}

#[test]
fn names_that_are_hidden_are_not_listed() {
    let (_house, path) = place();
    let folder = Folder::open(&path).unwrap();
    let id = write(&folder, "echo hi");
    fs::create_dir(path.join(".git")).unwrap();
    fs::write(path.join("notes.txt"), "mine").unwrap();
    assert_eq!(
        folder.names().unwrap(),
        [format!("{id}.sh"), "notes.txt".to_owned()]
    );
}
