//! Running what the list of allowed programs does not name, by an interpreter that was allowed
//! and makes raw system calls: the strongest attacker.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use bashful_sandbox::Profile;

use crate::case::Case;
use crate::scene::Scene;

pub(crate) const CLASS: &str = "programs";

pub(crate) fn program(path: &str) -> PathBuf {
    fs::canonicalize(path).unwrap()
}

/// Python may run, nothing else.
pub(crate) fn only_python(profile: &mut Profile, _: &Scene) {
    profile.commands = Some(vec![program("/usr/bin/python3")]);
}

/// A program that lies in the workspace.
pub(crate) fn with_a_tool(scene: &mut Scene) {
    let tool = scene.workspace.join("tool");
    fs::copy("/usr/bin/id", &tool).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o777)).unwrap();
    scene.tell("PROOF", "uid=");
}

/// A library in the workspace that reports when it is loaded.
#[expect(clippy::disallowed_methods, reason = "the compiler prepares the host")]
pub(crate) fn with_a_library(scene: &mut Scene) {
    let source = scene.workspace.join("evil.c");
    let text = "#include <unistd.h>\n\
                __attribute__((constructor)) static void loaded(void) {\n\
                    (void)!write(1, \"uid=loaded\\n\", 11);\n\
                }\n";
    scene.file(&source, text);
    let built = std::process::Command::new("gcc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(scene.workspace.join("evil.so"))
        .arg(&source)
        .status();
    assert!(built.unwrap().success(), "gcc builds a library");
    scene.tell("PROOF", "uid=loaded");
}

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code).profile(only_python)
}

fn own_tool(name: &'static str, code: &'static str) -> Case {
    python(name, code).prepare(with_a_tool)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = of_the_system();
    cases.extend(brought_along());
    cases
}

fn of_the_system() -> Vec<Case> {
    vec![
        python("directly", r#"proves(run("/usr/bin/id"))"#),
        python("by_the_loader", r#"proves(run(loader(), "/usr/bin/id"))"#),
        python(
            "by_proc_self_root",
            r#"proves(run("/proc/self/root/usr/bin/id"))"#,
        ),
        python(
            "by_a_symlink",
            r#"
            os.symlink("/usr/bin/id", W + "/python3.11")
            proves(run(W + "/python3.11"))"#,
        ),
        python(
            "by_a_descriptor",
            r#"
            fd = os.open("/usr/bin/id", O_PATH)
            proves(run(f"/proc/self/fd/{fd}"))"#,
        ),
        python(
            "by_a_script",
            r##"
            with open(W + "/script", "w") as file: file.write("#!/usr/bin/echo uid=\n")
            os.chmod(W + "/script", 0o777)
            proves(run(W + "/script"))"##,
        ),
        python(
            "by_another_first_argument",
            r#"
            proves(run("python3", program="/usr/bin/id"))"#,
        ),
        python(
            "copied_to_the_workspace",
            r#"
            write(W + "/copy", read("/usr/bin/id"), O_WRONLY | os.O_CREAT)
            os.chmod(W + "/copy", 0o777); proves(run(W + "/copy"))"#,
        ),
        python(
            "program_among_libraries",
            r#"
            for name in ["/usr/lib/git-core/git", "/usr/libexec/git-core/git"]:
                if b"git version" in run(name, "version")[1]: reached(name)
            blocked("no answer")"#,
        ),
        python(
            "program_among_libraries_by_the_loader",
            r#"
            for name in ["/usr/lib/git-core/git", "/usr/libexec/git-core/git"]:
                if b"git version" in run(loader(), name, "version")[1]: reached(name)
            blocked("no answer")"#,
        ),
        python(
            "any_other_program_readable",
            r#"
            # What can be read can be started by the loader, or by hand.
            def is_program(path):
                with open(path, "rb") as file:
                    head = file.read(4096)
                if head[:4] != b"\x7fELF" or head[16] not in (2, 3): return False
                count = struct.unpack_from("<H", head, 56)[0]
                start = struct.unpack_from("<Q", head, 32)[0]
                kinds = [struct.unpack_from("<I", head, start + 56 * it)[0] for it in range(min(count, 60))]
                return 3 in kinds
            import itertools
            found, own = [], os.path.realpath("/proc/self/exe")
            for top, directories, names in itertools.chain(os.walk("/usr/bin"), os.walk("/")):
                if top == "/": directories[:] = [it for it in directories if it not in ("proc", "sys")]
                for name in names:
                    path = os.path.join(top, name)
                    # Libraries that print their version, and what was allowed.
                    if name.startswith(("lib", "ld-", "bash")) or os.path.realpath(path) == own: continue
                    try:
                        if stat.S_ISREG(os.lstat(path).st_mode) and is_program(path): found.append(path)
                    except OSError: pass
                if len(found) > 20: break
            if not found: blocked("none")
            reached(" ".join(found[:8]))"#,
        ),
    ]
}

fn brought_along() -> Vec<Case> {
    vec![
        own_tool("own_program", r#"proves(run(W + "/tool"))"#),
        own_tool(
            "own_program_by_the_loader",
            r#"proves(run(loader(), W + "/tool"))"#,
        ),
        own_tool(
            "own_program_copied_to_tmp",
            r#"
            path = "/tmp/" + E["MARKER"]
            write(path, read(W + "/tool"), O_WRONLY | os.O_CREAT); os.chmod(path, 0o777)
            try: result = run(path)
            finally: os.unlink(path)
            proves(result)"#,
        ),
        own_tool(
            "own_program_copied_to_shared_memory",
            r#"
            path = "/dev/shm/" + E["MARKER"]
            write(path, read(W + "/tool"), O_WRONLY | os.O_CREAT); os.chmod(path, 0o777)
            try: result = run(path)
            finally: os.unlink(path)
            proves(result)"#,
        )
        .may_lack("shared memory that is not executable anyway", &["EACCES"]),
        own_tool(
            "own_program_in_memory",
            r#"
            fd = call("memfd_create", text("x"), 0)
            os.write(fd, read(W + "/tool"))
            proves(run(f"/proc/self/fd/{fd}"))"#,
        ),
        own_tool(
            "own_program_in_memory_by_descriptor",
            r#"
            fd = call("memfd_create", text("x"), 0)
            os.write(fd, read(W + "/tool"))
            ours, theirs = os.pipe()
            if os.fork() == 0:
                os.dup2(theirs, 1)
                try: call("execveat", fd, text(""), (ctypes.c_char_p * 2)(b"id", None), (ctypes.c_char_p * 1)(None), 0x1000)
                except OSError as error: os.write(1, str(error).encode())
                os._exit(1)
            os.close(theirs); os.wait(); proves((0, os.read(ours, 4096)))"#,
        ),
        own_tool(
            "own_program_hard_linked",
            r#"
            os.link(W + "/tool", W + "/cat"); proves(run(W + "/cat"))"#,
        ),
        own_tool(
            "own_program_by_a_descriptor",
            r#"
            fd = os.open(W + "/tool", O_RDONLY); os.set_inheritable(fd, True)
            proves(run(f"/proc/self/fd/{fd}"))"#,
        ),
        own_tool(
            "own_program_mapped",
            r#"
            import mmap
            fd = os.open(W + "/tool", O_RDONLY)
            mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)"#,
        ),
        python(
            "own_library_loaded",
            r#"
            ctypes.CDLL(W + "/evil.so")"#,
        )
        .prepare(with_a_library),
    ]
}
