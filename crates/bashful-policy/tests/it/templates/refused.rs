//! Positions in which a value could become code: each is refused, and each similar one that is
//! safe is not.

use bashful_policy::{Missing, TemplateError, check_template, read_template};

use super::bash::{Bash, text, values};

/// Scripts in which `${a.b}` must be refused.
const REFUSED: &[&str] = &[
    // The command itself.
    "${a.b}",
    "${a.b} x",
    "\"${a.b}\" x",
    "'${a.b}'",
    "./${a.b}",
    "bin/${a.b}/run",
    "x=1 ${a.b}",
    "${a.b}=x",
    "$(printf %s ${a.b}) x",
    "sudo ${a.b}",
    "env ${a.b}",
    "env X=1 ${a.b}",
    "timeout 5 ${a.b}",
    "exec ${a.b}",
    "command ${a.b}",
    "builtin ${a.b} x",
    "nohup nice -n 5 ${a.b}",
    "xargs ${a.b}",
    "find . -exec ${a.b} {} \\;",
    "time ${a.b}",
    "if ${a.b}; then :; fi",
    "true && ${a.b}",
    "(${a.b})",
    "x=$(${a.b})",
    // Shells and their texts.
    "eval ${a.b}",
    "eval \"echo ${a.b}\"",
    "eval 'echo ${a.b}'",
    "eval echo '${a.b}'",
    "bash -c ${a.b}",
    "bash -c \"echo ${a.b}\"",
    "bash -c 'echo ${a.b}'",
    "bash -c \"echo '${a.b}'\" _ x",
    "bash -ec 'echo ${a.b}'",
    "sh -c 'x=${a.b}'",
    "bash ${a.b}",
    "bash ./${a.b} x",
    "bash -x ${a.b}",
    "bash --rcfile ${a.b} -i",
    "sudo -u me bash -c 'echo ${a.b}'",
    "timeout 5 bash -c \"${a.b}\"",
    "env -i sh -c \"ls ${a.b}\"",
    "xargs -I{} sh -c 'cp {} ${a.b}'",
    "find . -exec sh -c 'mv \"$1\" ${a.b}' _ {} \\;",
    "su -c \"ls ${a.b}\" me",
    "watch \"ls ${a.b}\"",
    "env -S \"ls ${a.b}\"",
    "script -c \"ls ${a.b}\" /dev/null",
    "flock /tmp/lock -c \"ls ${a.b}\"",
    "nohup bash -c 'sleep 1; ls ${a.b}' &",
    "docker exec box sh -c \"ls ${a.b}\"",
    "kubectl exec pod -- bash -c 'ls ${a.b}'",
    "mywrapper --fast bash -c 'ls ${a.b}'",
    "parallel echo ${a.b} ::: 1 2",
    "source ${a.b}",
    ". ./${a.b}",
    ". <(echo ${a.b})",
    "trap ${a.b} EXIT",
    "trap 'rm -f ${a.b}' EXIT",
    "trap \"rm -f ${a.b}\" EXIT",
    "alias x=${a.b}",
    "bash <<EOF\necho ${a.b}\nEOF\n",
    "bash <<'EOF'\necho ${a.b}\nEOF\n",
    "bash <<< ${a.b}",
    "bash <<< \"echo ${a.b}\"",
    "bash < ${a.b}",
    "bash <(echo ${a.b})",
    "echo ${a.b} | bash",
    "echo 'ls ${a.b}' | sh -s",
    "printf '%s' \"${a.b}\" | sudo bash",
    "cat <<EOF | bash\nls ${a.b}\nEOF\n",
    "{ echo x; echo ${a.b}; } | bash",
    "while read -r x; do echo \"$x ${a.b}\"; done < f | bash",
    "echo ${a.b} | tee log | sh",
    "echo ${a.b} | xargs -I{} sh -c 'ls {}'",
    "echo ${a.b} | parallel",
    "ssh host ls ${a.b}",
    "ssh host \"ls '${a.b}'\"",
    "ssh -o ProxyCommand=${a.b} host",
    "ssh host bash -s <<EOF\nls ${a.b}\nEOF\n",
    "bash -s ${a.b}",
    "bash -s \"${a.b}\" < f",
    "bash -s word ${a.b}",
    "bash -es ${a.b}",
    "bash -s -x ${a.b}",
    "bash -s -o errexit ${a.b}",
    "bash -s -o -- ${a.b}",
    "bash -s --rcfile -- ${a.b}",
    "bash -s +x ${a.b}",
    "bash -s +c ${a.b}",
    "bash -x -s ${a.b}",
    "sh -s ${a.b}",
    "env bash -s ${a.b}",
    "bash -c -s ${a.b}",
    "bash -c -e ${a.b}",
    "bash -c +e ${a.b}",
    "bash -c -o errexit ${a.b}",
    "cat <<EOF | ssh host\nls ${a.b}\nEOF\n",
    "crontab - <<EOF\n* * * * * ls ${a.b}\nEOF\n",
    "echo \"ls ${a.b}\" | at now",
    // What bash evaluates itself.
    "let x=${a.b}",
    "let \"x = ${a.b}\"",
    "x[${a.b}]=1",
    "x[${a.b}]=${a.b}",
    "echo ${x[${a.b}]}",
    "echo $((x[${a.b}]))",
    "declare -A m=([${a.b}]=1)",
    "m=([${a.b}]=1)",
    "echo \"${m[\"${a.b}\"]}\"",
    "[[ -v ${a.b} ]]",
    "[[ -v x[${a.b}] ]]",
    "[[ -R ${a.b} ]]",
    "test -v ${a.b}",
    "[ -v ${a.b} ]",
    "[ ${a.b} ${a.b} ]",
    "[ ${a.b} x ]",
    "[ x ${a.b} y ]",
    "[ -n ${a.b} -a -n x ]",
    "[ -n x -o ${a.b} = y ]",
    "[ \"$x\" = y -a ${a.b} = z ]",
    "[ $x = ${a.b} ]",
    "[ ! ${a.b} x ]",
    "unset ${a.b}",
    "unset 'x[${a.b}]'",
    "read ${a.b}",
    "read -r x ${a.b}",
    "read -ra ${a.b} < f",
    "printf ${a.b}",
    "printf ${a.b} x",
    "printf \"${a.b}\\n\"",
    "printf '${a.b}: %s' x",
    "printf -v ${a.b} x",
    "printf -v x ${a.b}",
    "mapfile -t ${a.b} < f",
    "mapfile -C ${a.b} x < f",
    "getopts ${a.b} x",
    "declare ${a.b}",
    "declare ${a.b}=x",
    "declare \"${a.b}=x\"",
    "declare -n x=${a.b}",
    "declare -i x=${a.b}",
    "declare -a x=${a.b}",
    "declare -a \"x=(${a.b})\"",
    "local -A x=${a.b}",
    "x=(1); declare x=${a.b}",
    "x=(1)\nf() { local x=${a.b}; }",
    "export ${a.b}",
    "export \"${a.b}\"",
    "readonly -a x=${a.b}",
    "command declare x=${a.b}",
    "builtin export x=${a.b}",
    "declare -n r\nr=${a.b}",
    "compgen -W ${a.b}",
    "complete -F ${a.b} x",
    "bind ${a.b}",
    "enable -f ${a.b} x",
    "hash -p ${a.b} ls",
    "set ${a.b}",
    "set -e ${a.b}",
    "shopt -s ${a.b}",
    "echo x >& ${a.b}",
    "echo x >& \"${a.b}\"",
    "echo x >&'${a.b}'",
    "cat <& ${a.b}",
    "PATH=${a.b}:$PATH",
    "PATH=${a.b} ls",
    "IFS=${a.b}",
    "BASH_ENV=${a.b} bash x.sh",
    "LD_PRELOAD=${a.b} ls",
    "env LD_PRELOAD=${a.b} ls",
    "export PS4=${a.b}",
    "PROMPT_COMMAND=${a.b}",
    "GIT_SSH_COMMAND=${a.b} git fetch",
    "for PATH in ${a.b}; do ls; done",
    // Code of other programs.
    "awk \"{ print ${a.b} }\" f",
    "awk '{ print \"${a.b}\" }' f",
    "awk -F: ${a.b} f",
    "awk -f ${a.b} f",
    "gawk -e '${a.b}' f",
    "sed \"s/x/${a.b}/\" f",
    "sed 's|x|${a.b}|' f",
    "sed -i -e \"s/x/${a.b}/\" f",
    "sed -n --expression='/${a.b}/p' f",
    "sed ${a.b} f",
    "python3 -c \"print('${a.b}')\"",
    "python3 -c 'print(\"${a.b}\")'",
    "python ${a.b}",
    "python3 - <<EOF\nprint('${a.b}')\nEOF\n",
    "python3 <<'EOF'\nprint('${a.b}')\nEOF\n",
    "echo \"print('${a.b}')\" | python3",
    "perl -e 'print \"${a.b}\"'",
    "perl -ne 'print' ${a.b}",
    "perl -pe 's/x/${a.b}/' f",
    "ruby -e 'puts \"${a.b}\"'",
    "node -e 'console.log(\"${a.b}\")'",
    "node --eval=\"${a.b}\"",
    "php -r 'echo \"${a.b}\";'",
    "lua -e 'print(\"${a.b}\")'",
    "jq \".x = \\\"${a.b}\\\"\" f",
    "jq '.${a.b}' f",
    "jq --arg x y '.${a.b}' f",
    "psql -c \"select '${a.b}'\"",
    "psql db <<EOF\nselect '${a.b}';\nEOF\n",
    "mysql -e \"select '${a.b}'\"",
    "sqlite3 x.db \"select '${a.b}'\"",
    "sqlite3 x.db <<< \"select '${a.b}'\"",
    "echo \"${a.b} * 2\" | bc",
    "bc <<< \"${a.b} + 1\"",
    "vim -c '${a.b}' f",
    "gdb -ex '${a.b}' x",
    "make X=${a.b}",
    "make ${a.b}",
    "socat - EXEC:${a.b}",
    "tar --to-command=${a.b} -xf x",
    "tar -I ${a.b} -cf x y",
    "tar --use-compress-program=\"${a.b}\" -cf x y",
    "rsync -e ${a.b} a b",
    "scp host:${a.b} .",
    "git -c alias.x=${a.b} x",
    "git config core.pager ${a.b}",
    "sort --compress-program=${a.b} f",
    "split --filter=${a.b} f",
    "find . -name x -exec bash -c 'echo ${a.b}' \\;",
    // Where nothing is certain.
    "echo `echo \\`echo ${a.b}\\``",
    "echo `echo \\${a.b}`",
    "echo \"`echo \\\"${a.b}\\\"`\"",
    "cat <<${a.b}\nx\n${a.b}\n",
    "cat <<'a b'\n${a.b}\na b\n",
    "${a.b}() { :; }",
    "for ${a.b} in x; do :; done",
    "shopt -s expand_aliases; alias e=eval; e ${a.b}",
    "f() { echo ${a.b}; }; export -f f; bash -c f",
    "[[ x =~ [${a.b}] ]]",
    "echo ${x/a/${a.b}}",
    "echo \"${x/a/'${a.b}'}\"",
    "if true; then echo ${a.b}",
    "echo $((1 + '${a.b}'))",
];

/// Scripts like these that are fine.
const ACCEPTED: &[&str] = &[
    "tar -czf /tmp/backup.tar.gz ${a.b}\necho \"Backed up: ${a.b}\"",
    "sudo -u me ls ${a.b}",
    "timeout 5 ls ${a.b}",
    "timeout ${a.b} ls",
    "env X=${a.b} make",
    "bash -c 'ls \"$1\"' _ ${a.b}",
    "bash ./x.sh ${a.b}",
    "bash -s -- ${a.b} <<'EOF'\nls \"$1\"\nEOF\n",
    "bash -e -s -- ${a.b} <<'EOF'\nls \"$1\"\nEOF\n",
    "bash +x ./x.sh ${a.b}",
    "sh -x ./x.sh \"${a.b}\"",
    "xargs -I{} cp {} ${a.b}",
    "find ${a.b} -name '*.log' -exec rm {} \\;",
    "find . -exec sh -c 'mv \"$1\" \"$2\"' _ {} ${a.b} \\;",
    "source ./x.sh ${a.b}",
    "trap 'rm -f \"$x\"' EXIT; x=${a.b}",
    "awk -v x=${a.b} '{ print x }' f",
    "awk '{ print }' ${a.b}",
    "sed -n 1p -- ${a.b}",
    "sed -e 's/a/b/' ${a.b}",
    "python3 -c 'import sys; print(sys.argv[1])' ${a.b}",
    "python3 x.py --file ${a.b}",
    "python3 -m json.tool ${a.b}",
    "python3 - ${a.b} <<'EOF'\nimport sys\nprint(sys.argv[1])\nEOF\n",
    "printf '%s' ${a.b} | python3 -c 'import sys; print(sys.stdin.read())'",
    "perl -e 'print $ARGV[0]' ${a.b}",
    "jq --arg x ${a.b} '.x = $x' f",
    "jq . ${a.b}",
    "psql -v x=${a.b} -c 'select 1'",
    "printf '%s\\n' ${a.b}",
    "printf -v x '%s' ${a.b}",
    "read -r -p \"${a.b}? \" x",
    "[ -f ${a.b} ]",
    "[ \"${a.b}\" = \"$x\" ]",
    "[ ! -e ${a.b} ]",
    "[[ -f ${a.b} && ${a.b} == *.log ]]",
    "test -d ${a.b}",
    "declare x=${a.b}",
    "local -r x=${a.b}",
    "export X=\"a${a.b}\"",
    "declare -a x=(${a.b})",
    "set -- ${a.b}",
    "echo ${a.b} >> ${a.b}.log 2>&1",
    "cat < ${a.b} > \"out/${a.b}\"",
    "ssh -- ${a.b} uptime",
    "git commit -m ${a.b}",
    "git add -- ${a.b}",
    "cp ${a.b} /tmp/",
    "echo bash ${a.b}",
    "echo sed ${a.b}",
    "apt-get install python3 ${a.b}",
    "f() { echo \"$1\"; }; f ${a.b}",
    "logger -t x ${a.b}",
    "curl -fsS --data-urlencode text=${a.b} https://example.org",
    "grep -F -- ${a.b} f | sort | uniq -c",
    "case ${a.b} in *.txt) cat ${a.b};; esac",
    "x=${a.b}\nmv -- \"$x\" \"${x%.*}.bak\"",
    "declare -i i; for i in 1 2; do echo ${a.b}; done",
    "for ((i = 0; i < 2; i++)); do x=1; echo ${a.b}; done",
    "run() { \"$@\"; }\nrun ls ${a.b}",
    "select x in ${a.b}; do break; done",
    "echo \"$(basename ${a.b})\" | tee -a log",
    "while IFS= read -r line; do echo \"$line\"; done < ${a.b}",
    "mapfile -t lines < ${a.b}",
    "function f\n{\n  echo ${a.b}\n}\nf",
    "\"$cmd\" ${a.b}",
    "\"$@\" ${a.b}",
    "git config user.name ${a.b}",
    "git switch -c ${a.b}",
    "curl -d \"{\\\"at\\\": \\\"$(date)\\\", \\\"file\\\": \\\"${a.b}\\\"}\" https://example.org",
];

#[test]
fn what_could_become_code_is_refused() {
    let mut wrong = Vec::new();
    for script in REFUSED {
        for read in [read_template, check_template] {
            match read(script) {
                Ok(_) => wrong.push(format!("accepted: {script}")),
                Err(TemplateError::Refused(refusals)) => {
                    assert!(!refusals.is_empty(), "{script}");
                    for refusal in refusals {
                        let (line, column) = (refusal.position.line, refusal.position.column);
                        let text = script.lines().nth(line - 1).unwrap();
                        let at: String = text.chars().skip(column - 1).collect();
                        assert!(at.starts_with("${a.b}"), "{script}\n{refusal}");
                        assert!(!refusal.instead.is_empty() && !refusal.why.is_empty());
                    }
                }
                Err(TemplateError::Unreadable { .. }) => {}
                Err(other) => wrong.push(format!("{script}\n{other}")),
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_data_is_not_refused() {
    let mut wrong = Vec::new();
    for script in ACCEPTED {
        if let Err(error) = check_template(script) {
            wrong.push(format!("{script}\n  {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_refusal_says_where_and_how_to_write_it() {
    let script = "x=1\n\u{e9}cho() { :; }\necho \u{e9}; eval ${trigger.file.path}\n";
    let error = read_template(script).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3, column 14: `${trigger.file.path}` would be evaluated by the shell; write the \
         command, and give the value to it as an argument"
    );
    let error = read_template("bash -c 'ls ${x.y}'").unwrap_err();
    assert!(error.to_string().contains("_ ${x.y}"), "{error}");
}

#[test]
fn options_of_programs_that_run_commands_are_refused() {
    let cases = [
        ("tar -cf x ${a.b}", "--use-compress-program=sh", false),
        ("tar -cf x \"${a.b}\"", "-I sh", false),
        ("tar -cf x -- ${a.b}", "--use-compress-program=sh", true),
        ("tar -cf x ./${a.b}", "-x", true),
        ("tar -cf x ${a.b}", "my file", true),
        ("git add ${a.b}", "-p", false),
        ("ls ${a.b}", "-l", true),
        ("echo ${a.b}", "-n", true),
        ("ssh ${a.b} uptime", "-oProxyCommand=sh", false),
        ("sort ${a.b}", "--compress-program=sh", false),
    ];
    for (script, value, fine) in cases {
        let read = read_template(script);
        let Ok(template) = read else {
            assert!(!fine, "{script}");
            continue;
        };
        let bound = template.bind(&values(&[("a.b", text(value))]), Missing::Refuse);
        assert_eq!(bound.is_ok(), fine, "{script} {value}");
    }
}

#[test]
fn reserved_names_are_refused() {
    for script in ["echo $__bashful_1", "__bashful_x=1\necho ${a.b}", "# __bashful_"] {
        let error = read_template(script).unwrap_err();
        assert!(
            matches!(error, TemplateError::ReservedName { .. }),
            "{script}"
        );
    }
}

/// The control: what these would run if their values were put there.
#[test]
fn bash_takes_words_behind_its_options_for_options_and_code() {
    let words = ["-s -c", "-s -x -c", "-s -o errexit -c", "-c -s", "-c -o errexit"];
    let texts = words.map(|words| format!("bash {words} 'printf \"1\\0ran\\0\"'"));
    for (text, (shown, error)) in texts.iter().zip(Bash::new().run(&texts)) {
        assert_eq!(shown, [["ran"]], "{text}: {error}");
    }
}
