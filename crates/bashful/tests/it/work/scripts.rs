//! Interpreters and their package managers.

use super::{steps, work};
use crate::support::World;

#[test]
fn node_runs_a_script_with_workers_and_children() {
    let world = World::new();
    let lines = [
        "const { Worker } = require('worker_threads');",
        "const { execFileSync } = require('child_process');",
        "const text = \"require('worker_threads').parentPort.postMessage(6 * 7)\";",
        "new Worker(text, { eval: true }).on('message', (it) => {",
        "  console.log(it, execFileSync('echo', ['child']).toString().trim());",
        "});",
    ];
    world.write("script.js", lines.join("\n"));
    assert_eq!(work(&world, "node script.js"), "42 child\n");
}

#[test]
fn npm_runs_scripts_offline() {
    let world = World::new();
    world.write(
        "package.json",
        r#"{ "name": "small", "version": "1.0.0", "scripts": {
             "build": "node build.js", "test": "node -e \"require('./out.js')\"" } }"#,
    );
    world.write(
        "build.js",
        "require('fs').writeFileSync('out.js', \"console.log('tested')\\n\");\n",
    );
    let printed = steps(&world, &["npm run --silent build", "npm test --silent"]);
    assert_eq!(printed, "tested\n");
    assert_eq!(world.read("out.js"), "console.log('tested')\n");
    // Its caches and logs are elsewhere.
    let mut names: Vec<_> = std::fs::read_dir(world.workspace())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["build.js", "out.js", "package.json"]);
}

#[test]
fn a_package_of_the_workspace_installs_offline() {
    let world = World::new();
    std::fs::create_dir(world.workspace().join("part")).unwrap();
    let part = r#"{ "name": "part", "version": "1.0.0", "main": "index.js" }"#;
    world.write("part/package.json", part);
    world.write("part/index.js", "module.exports = 42;\n");
    world.write(
        "package.json",
        r#"{ "name": "whole", "version": "1.0.0", "dependencies": { "part": "file:part" } }"#,
    );
    let printed = steps(
        &world,
        &[
            "npm install --offline --no-audit --no-fund --silent",
            "node -p \"require('part')\"",
        ],
    );
    assert_eq!(printed, "42\n");
}

#[test]
fn python_makes_a_virtual_environment_and_uses_it() {
    let world = World::new();
    let printed = steps(
        &world,
        &[
            "python3 -m venv --without-pip environment",
            "environment/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'",
            ". environment/bin/activate",
            "python -c 'import sys; print(sys.prefix)'",
        ],
    );
    let prefix = world.workspace().join("environment");
    assert_eq!(printed, format!("True\n{}\n", prefix.display()));
}

#[test]
fn python_spreads_work_over_processes_and_threads() {
    let world = World::new();
    let lines = [
        "import multiprocessing, concurrent.futures, multiprocessing.shared_memory as shared",
        "def square(number): return number * number",
        "if __name__ == '__main__':",
        "    for method in ('fork', 'spawn'):",
        "        with multiprocessing.get_context(method).Pool(3) as pool:",
        "            print(method, sum(pool.map(square, range(100))))",
        "    with concurrent.futures.ThreadPoolExecutor(8) as pool:",
        "        print(sum(pool.map(square, range(100))))",
        "    block = shared.SharedMemory(create=True, size=4096)",
        "    block.buf[0] = 7; print(block.buf[0]); block.close(); block.unlink()",
        "    queue = multiprocessing.Queue(); queue.put('queued'); print(queue.get())",
    ];
    world.write("work.py", lines.join("\n"));
    let printed = work(&world, "python3 work.py");
    assert_eq!(printed, "fork 328350\nspawn 328350\n328350\n7\nqueued\n");
}

#[test]
fn python_tests_are_found_and_run() {
    let world = World::new();
    world.write(
        "test_small.py",
        "import unittest, tempfile, subprocess\n\
         class Small(unittest.TestCase):\n\
         \x20   def test_files(self):\n\
         \x20       with tempfile.NamedTemporaryFile() as file: file.write(b'x')\n\
         \x20   def test_children(self):\n\
         \x20       self.assertEqual(subprocess.check_output(['echo', 'a']), b'a\\n')\n",
    );
    let outcome = super::attempt(&world, &[], "python3 -m unittest -q");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains("Ran 2 tests"), "{outcome:?}");
}
