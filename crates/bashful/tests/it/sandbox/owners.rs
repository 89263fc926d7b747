//! Who owns what a run makes, and who the run is.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use super::{is_root, output, text};
use crate::support::World;

const MAKE: &str = "mkdir -p made/deep && echo x > made/file && echo y > made/deep/file && \
                    ln -s file made/link && echo z >> existing && chmod 640 made/file";

/// What only root of the host could do. Every success prints a line.
const ATTEMPTS: &str = "\
cat /etc/shadow /proc/1/environ /proc/kcore
for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/power/state \\
    /proc/sys/kernel/hostname /etc/passwd /usr/bin/new; do
    (exec 3>> $file) && echo opened $file
done
mount -t tmpfs none /mnt && echo mounted
chroot / true && echo changed root
unshare -m true && echo unshared
mknod device c 1 3 && echo made a device
chown 1:1 attempts && echo gave away
hostname other && echo renamed
nice -n -5 true 2>&1 | grep -q . || echo hurried
";

/// Owner, group and mode of what that made.
fn owners(world: &World) -> Vec<(u32, u32, u32)> {
    [
        "made",
        "made/file",
        "made/deep/file",
        "made/link",
        "existing",
    ]
    .map(|name| {
        let about = fs::symlink_metadata(world.workspace().join(name)).unwrap();
        (about.uid(), about.gid(), about.mode() & 0o777)
    })
    .to_vec()
}

fn expected(user: u32, group: u32) -> Vec<(u32, u32, u32)> {
    [0o755, 0o640, 0o644, 0o777, 0o644]
        .map(|mode| (user, group, mode))
        .to_vec()
}

#[test]
fn what_is_made_belongs_to_the_caller() {
    let world = World::unjudged();
    world.write("existing", "before\n");
    output(&world, &[], MAKE);
    let (user, group) = (
        rustix::process::geteuid().as_raw(),
        rustix::process::getegid().as_raw(),
    );
    assert_eq!(owners(&world), expected(user, group));
}

#[test]
fn in_somebodys_workspace_root_becomes_that_person() {
    let world = World::unjudged();
    world.write("existing", "before\n");
    if !is_root() {
        println!("only root can give a workspace away; an ordinary user works as itself");
        let user = rustix::process::geteuid().as_raw();
        assert_eq!(output(&world, &[], "id -u"), format!("{user}\n"));
        return;
    }
    chown(world.workspace(), Some(1000), Some(1001)).unwrap();
    chown(world.workspace().join("existing"), Some(1000), Some(1001)).unwrap();
    assert_eq!(
        output(&world, &[], "id -u; id -g; id -G"),
        "1000\n1001\n1001\n"
    );
    output(&world, &[], MAKE);
    assert_eq!(owners(&world), expected(1000, 1001));
    // Git's configuration, which the keeper writes, too.
    output(&world, &[], "git init -q .");
    output(
        &world,
        &[],
        "git config user.name Somebody && git config branch.x.merge refs/heads/elsewhere",
    );
    let config = world.workspace().join(".git/config");
    let about = fs::metadata(&config).unwrap();
    assert_eq!((about.uid(), about.gid()), (1000, 1001));
    assert!(fs::read_to_string(config).unwrap().contains("elsewhere"));
    // Others' private files stay theirs.
    let private = world.write("private", "root's\n");
    fs::set_permissions(
        &private,
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    assert_ne!(world.run(&["cat private"]).code, 0);
    // Also what is written beside it, though that is root's.
    fs::create_dir(world.path("beside")).unwrap();
    let beside = world.path("beside");
    output(
        &world,
        &["--write", text(&beside)],
        "echo x > ../beside/file",
    );
    assert_eq!(fs::metadata(beside.join("file")).unwrap().uid(), 0);
}

#[test]
fn a_run_of_root_is_not_root() {
    let world = World::unjudged();
    let (code, result) = world.json(&["cat /proc/self/uid_map; id -u"]);
    assert_eq!(
        json!([code, result["enforcement"]["identity"]]),
        json!([0, "full"])
    );
    if is_root() {
        let user = result["stdout"].as_str().unwrap().lines().last().unwrap();
        assert_ne!(user, "0");
        // Files of root that no other user may read are not readable, not even in sight.
        let secret = world.path("secret");
        fs::write(&secret, "root's\n").unwrap();
        fs::set_permissions(&secret, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let seen = world.run(&["cat /proc/1/environ /etc/shadow /proc/kcore"]);
        assert_eq!(seen.stdout, "");
    }
    world.write("attempts", ATTEMPTS);
    assert_eq!(
        output(&world, &[], "bash attempts 2> /dev/null; echo tried"),
        "tried\n"
    );
}

/// An overlay over the workspace of a world, while it lives.
struct Overlay(PathBuf);

impl Overlay {
    fn mount(world: &World) -> Self {
        let [lower, upper, work] = ["lower", "upper", "work"].map(|name| {
            let path = world.path(name);
            fs::create_dir(&path).unwrap();
            path
        });
        let workspace = world.workspace();
        let options = format!(
            "lowerdir={},upperdir={},workdir={}",
            lower.display(),
            upper.display(),
            work.display()
        );
        let status = Command::new("mount")
            .args(["-t", "overlay", "overlay", "-o", &options, text(&workspace)])
            .status()
            .unwrap();
        assert!(status.success());
        Self(workspace)
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        // A room that still ends may hold it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn where_ids_cannot_be_mapped_the_result_says_so() {
    let world = World::unjudged();
    if !is_root() {
        println!("only root mounts an overlay; an ordinary user needs no mapped ids");
        let (_, result) = world.json(&["true"]);
        assert_eq!(result["enforcement"]["identity"], "full");
        return;
    }
    let overlay = Overlay::mount(&world);
    world.write("existing", "before\n");
    let (code, result) = world.json(&[MAKE]);
    let found = json!([
        code,
        result["enforcement"]["identity"],
        result["enforcement"]["filesystem"]
    ]);
    assert_eq!(found, json!([0, "partial", "full"]), "{result}");
    assert_eq!(owners(&world), expected(0, 0));
    world.write("attempts", ATTEMPTS);
    let seen = output(
        &world,
        &[],
        "bash attempts 2> /dev/null; git init -q . && echo git",
    );
    assert_eq!(seen, "git\n");
    drop(overlay);
}
