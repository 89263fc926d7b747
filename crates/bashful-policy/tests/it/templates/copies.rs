//! Copies of values: `validate` warns where one stands in a place that is code, and refuses none. What
//! its simple look does not see is listed, for the sandbox holds that too.

use bashful_policy::{CopiedValue, Holds, Missing, Value, check_template, copied_values};

use super::bash::{Bash, text, values};

const INDEX: &str = "OSTYPE[$(touch canary)]";
const COMMAND: &str = "touch canary";
const OPTION: &str = "--checkpoint-action=exec=touch${IFS}canary";

/// Scripts in which a template itself stands where it would be evaluated: these are refused, at the
/// latest with such a value.
const PLACES: &[(&str, &str)] = &[
    ("echo $(( ${u:-${a.b}} ))", INDEX),
    ("(( ${u:-\"${a.b}\"} ))", INDEX),
    ("for ((i=${u:-${a.b}};i<1;i++)); do :; done", INDEX),
    ("[[ ${u:-${a.b}} -gt 1 ]]", INDEX),
    ("u=1; [[ ${u:+${a.b}} -eq 1 ]]", INDEX),
    ("[[ -v ${u:-${a.b}} ]]", INDEX),
    ("s=abc; echo ${s:${u:-${a.b}}}", INDEX),
    ("arr=(1); echo ${arr[@]:${u:-${a.b}}}", INDEX),
    ("arr=(1); echo ${arr[${u:-${a.b}}]}", INDEX),
    ("x[${u:-${a.b}}]=1", INDEX),
    ("arr+=([${u:-${a.b}}]=1)", INDEX),
    ("x=y; echo $(( ${x/y/${a.b}} ))", INDEX),
    ("x=y; [[ ${x/y/${a.b}} -eq 1 ]]", INDEX),
    ("declare -i \\\n x\nx=${a.b}", INDEX),
    ("n=y; declare \"$n=${a.b}\"; (( y ))", INDEX),
    (
        "tar --checkpoint=1 -cf x.tar ${u:-${a.b}} /etc/hostname",
        OPTION,
    ),
    (
        "tar --checkpoint=1 -cf x.tar \"$empty${a.b}\" /etc/hostname",
        OPTION,
    ),
    (
        "tar --checkpoint=1 -cf x.tar --${a.b} /etc/hostname",
        "checkpoint-action=exec=touch canary",
    ),
    ("cat <<'E\"O\"F'\nEOF\n${a.b}\nE\"O\"F\n", ""),
    ("cat <<\"E'O'F\"\nEOF\n${a.b}\nE'O'F\n", ""),
    ("perl -e 'while(<>){print}' ${a.b}", "touch canary|"),
];

/// Scripts that evaluate a copy of the value, and of which this is told.
const COPIES: &[(&str, &str)] = &[
    ("echo $(( $(echo ${a.b}) + 1 ))", INDEX),
    ("[[ $(echo ${a.b}) -eq 1 ]]", INDEX),
    ("arr=(1); echo ${arr[$(echo ${a.b})]}", INDEX),
    ("x[$(echo ${a.b})]=1", INDEX),
    ("[[ -v $(echo ${a.b}) ]]", INDEX),
    ("for ((i=0;i<$(echo ${a.b});i++)); do :; done", INDEX),
    ("n=$(cat <<< ${a.b}); (( n ))", INDEX),
    ("printf -v 'arr[0]' %s ${a.b}; echo $((arr[0]))", INDEX),
    ("printf -vn %s ${a.b}; echo $((n))", INDEX),
    ("x=${a.b}; (( x ))", INDEX),
    ("x=${a.b}; y=$x; (( y ))", INDEX),
    ("x=${a.b}; y=\"$x\"; eval \"$y\"", COMMAND),
    ("x=${a.b}; cmd=\"echo; $x\"; eval \"$cmd\"", COMMAND),
    (
        "arr=(${a.b}); for i in \"${arr[@]}\"; do (( i )); done",
        INDEX,
    ),
    ("declare -A m; m[k]=${a.b}; k2=${m[k]}; (( k2 ))", INDEX),
    ("x=${a.b}\n((\n x > 1\n))", INDEX),
    ("x=${a.b}; [[ \"$x\" \\\n -gt 5 ]]", INDEX),
    ("x=${a.b}; [[ x -gt 5 ]]", INDEX),
    ("x=${a.b}; echo $[x]", INDEX),
    ("x=${a.b}; s=abc; echo ${s:x:1}", INDEX),
    ("x=${a.b}; s=abc; echo ${s:$x}", INDEX),
    ("x=${a.b}; arr=([$x]=1)", INDEX),
    ("x=${a.b}; declare -i y=$x", INDEX),
    ("x=${a.b}; declare -i y; y=$x", INDEX),
    ("x=${a.b}; [[ -v $x ]]", INDEX),
    ("x=${a.b}; test -v \"$x\"", INDEX),
    ("x=${a.b}; echo \"${!x}\"", INDEX),
    (
        "x='$(touch canary)'; y=${a.b}; echo \"${y@P}\"",
        "$(touch canary)",
    ),
    ("x=${a.b}; printf -v \"$x\" 1", INDEX),
    ("x=${a.b}; read \"$x\" <<< 1", INDEX),
    ("x=${a.b}; unset \"$x\"", INDEX),
    ("x=${a.b}; declare -n r=$x; echo $r", INDEX),
    ("x=${a.b}; trap \"$x\" EXIT", COMMAND),
    ("x=${a.b}; $x", COMMAND),
    ("x=${a.b}; env $x", COMMAND),
    ("x=${a.b}; nohup $x", COMMAND),
    ("x=${a.b}; echo \"$x\" | bash", COMMAND),
    ("x=${a.b}; bash <<< \"$x\"", COMMAND),
    ("x=${a.b}; source <(echo \"$x\")", COMMAND),
    ("x=${a.b}; sh -c \"\necho; $x\n\"", COMMAND),
    ("x=${a.b}; bash -c \"echo '$x'\"", "';touch canary;'"),
    ("x=${a.b}; PS4=$x; set -x; :", "$(touch canary)"),
    (
        "check() { [[ $1 -gt 100 ]] && echo big; }\ncheck ${a.b}",
        INDEX,
    ),
    ("check() { local n=$1; (( n )); }\ncheck ${a.b}", INDEX),
    (
        "check() { local n=${1:-5}; for ((i=0;i<n;i++)); do :; done; }\ncheck ${a.b}",
        INDEX,
    ),
    ("f() { g \"$1\"; }\ng() { (( $1 )); }\nf ${a.b}", INDEX),
    ("f() { shift; (( $1 )); }\nf x ${a.b}", INDEX),
    ("f() { trap \"$1\" EXIT; }; f ${a.b}", COMMAND),
    ("f() { bash -c \"$1\"; }; f ${a.b}", COMMAND),
    ("f() { sh -c \"$*\"; }; f ${a.b}", COMMAND),
    ("f() { $1; }; f ${a.b}", COMMAND),
    ("f() { for a; do eval \"$a\"; done; }; f ${a.b}", COMMAND),
    ("set -- ${a.b}; (( $1 ))", INDEX),
    ("n=x; x=${a.b}; y=${!n}; (( y ))", INDEX),
    ("x=${a.b}; declare -n r=x; (( r ))", INDEX),
    ("f() { local -n out=$1; (( out )); }\nx=${a.b}\nf x", INDEX),
    ("n=y; printf -v \"$n\" %s ${a.b}; (( y ))", INDEX),
    ("n=y; read -r \"$n\" <<< ${a.b}; (( y ))", INDEX),
    ("f() { read -r n; (( n )); }\necho ${a.b} | f", INDEX),
    ("f() { read -r n; (( n )); }\nf <<< ${a.b}", INDEX),
    (
        "while read -r n; do (( t += n )); done <<< \"${a.b}\"",
        INDEX,
    ),
    ("echo ${a.b} | while read -r n; do (( n )); done", INDEX),
    ("read -r y < <(echo ${a.b}); (( y ))", INDEX),
    ("IFS=, read -r x y <<< ${a.b}; (( x ))", INDEX),
    (
        "read -ra arr <<< ${a.b}; (( arr[0] ))",
        "OSTYPE[$(touch${IFS}canary)]",
    ),
    ("mapfile -t arr <<< ${a.b}; (( arr[0] ))", INDEX),
    ("printf -v n %s ${a.b}; (( n ))", INDEX),
    ("printf -v PS4 %s ${a.b}; set -x; :", "$(touch canary)"),
    ("read -r PS4 <<< ${a.b}; set -x; :", "$(touch canary)"),
    (
        "read -r BASH_ENV <<< ${a.b}; export BASH_ENV; bash -c :",
        "/dev/fd/9",
    ),
];

/// Scripts that evaluate a copy, or let it become an option, and of which nothing is told.
const NOT_SEEN: &[(&str, &str)] = &[
    ("f() { echo ${a.b}; }; (( $(f) ))", INDEX),
    ("f() { echo ${a.b}; }; y=$(f); (( y ))", INDEX),
    (
        "echo $(( $(stat -c %s ${a.b} 2>&1 | sed 's/.*statx .//;s/.: .*//') ))",
        INDEX,
    ),
    ("t=${a.b}; timeout $t true", "5 touch canary"),
    ("n=${a.b}; nice -n $n true", "5 touch canary"),
    ("f() { timeout $1 true; }; f ${a.b}", "5 touch canary"),
    ("d=./${a.b}; find $d -maxdepth 0", ". -exec touch canary ;"),
    ("bash -c 'echo $(($0))' ${a.b}", INDEX),
    ("bash -c -- 'echo $(($1))' _ ${a.b}", INDEX),
    ("x=${a.b}\nlet y=x", INDEX),
    ("x=${a.b}\nlet \"y = x\"", INDEX),
    ("decl\"\"are -i x; x=${a.b}", INDEX),
    ("f() { $@; }; f ${a.b}", COMMAND),
    ("f() { shift; $@; }; f x ${a.b}", COMMAND),
    ("bash -c '(( $1 ))' _ ${a.b}", INDEX),
    ("bash -c 'eval \"$1\"' _ ${a.b}", COMMAND),
    ("eval 'y=$x'; x=${a.b}; eval 'y=$x'; (( y ))", INDEX),
    ("exec 3<<< ${a.b}; read -r y <&3; (( y ))", INDEX),
    ("[[ ${a.b} =~ (.*) ]]; (( BASH_REMATCH[1] ))", INDEX),
    (": ${a.b}; (( _ ))", INDEX),
    ("echo ${a.b} > f; read -r y < f; (( y ))", INDEX),
    ("echo ${a.b} > f; y=$(<f); (( y ))", INDEX),
    ("exec <<< ${a.b}; bash", COMMAND),
    ("exec < <(echo ${a.b}); sh", COMMAND),
    ("bash /dev/fd/3 3<<< ${a.b}", COMMAND),
    ("echo ${a.b} | xargs env", COMMAND),
    ("echo ${a.b} | xargs timeout 5", COMMAND),
    ("echo ${a.b} > x; sh x", COMMAND),
    ("x=${a.b}\necho \"$x\" > t.sh; . ./t.sh", COMMAND),
    (
        "f=${a.b}; tar --checkpoint=1 -cf x.tar \"$f\" /etc/hostname",
        OPTION,
    ),
    (
        "for f in ${a.b}; do tar --checkpoint=1 -cf x.tar \"$f\" /etc/hostname; done",
        OPTION,
    ),
    (
        "p() { tar --checkpoint=1 -cf x.tar \"$1\" /etc/hostname; }; p ${a.b}",
        OPTION,
    ),
    (
        "run() { \"$@\"; }; run tar --checkpoint=1 -cf x.tar ${a.b} /etc/hostname",
        OPTION,
    ),
    (
        "tar --checkpoint=1 -cf x.tar \"$(printf %s ${a.b})\" /etc/hostname",
        OPTION,
    ),
    (
        "printf '%s\\n' ${a.b} | xargs -d '\\n' tar --checkpoint=1 -cf x.tar /etc/hostname",
        OPTION,
    ),
];

/// The same script with the value bound to a variable without any check.
fn unchecked(script: &str, value: &str) -> String {
    let value = value.replace('\'', "'\\''");
    let document = script.contains("<<E") || script.contains("'${a.b}'");
    let mut written = String::new();
    for (index, piece) in script.split("${a.b}").enumerate() {
        if index > 0 {
            let line = written.rsplit('\n').next().unwrap_or_default();
            let quoted = document || line.replace("\\\"", "").matches('"').count() % 2 == 1;
            written.push_str(if quoted { "$v" } else { "\"$v\"" });
        }
        written.push_str(piece);
    }
    format!("v='{value}'\n{written}\n")
}

/// Whether a script is bound to a value.
fn is_bound(script: &str, value: &str) -> bool {
    let known = values(&[("a.b", text(value))]);
    let template = check_template(script);
    let bound = template.and_then(|template| template.bind(&known, Missing::Refuse));
    bound.is_ok()
}

#[test]
fn a_template_in_a_place_that_is_code_is_refused() {
    for (script, value) in PLACES {
        assert!(!is_bound(script, value), "{script}");
    }
}

#[test]
fn copies_in_places_that_are_code_are_told_and_not_refused() {
    let mut wrong = Vec::new();
    for (script, value) in COPIES {
        let told = copied_values(script, &[]);
        if !is_bound(script, value) || told.is_empty() {
            wrong.push(format!("{script}\n  {told:?}"));
        }
        let fits = |one: &CopiedValue| one.source == "a.b" && one.line <= script.lines().count();
        assert!(told.iter().all(fits), "{script} {told:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_seen_is_what_is_said_to_be_not_seen() {
    let mut wrong = Vec::new();
    for (script, value) in NOT_SEEN {
        let told = copied_values(script, &[]);
        if !is_bound(script, value) || !told.is_empty() {
            wrong.push(format!("{script}\n  {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With the value put there, all of these do run what it says.
#[test]
fn the_attacks_are_real() {
    let mut harmless = Vec::new();
    for (script, value) in PLACES.iter().chain(COPIES).chain(NOT_SEEN) {
        if value.is_empty() || *value == "/dev/fd/9" {
            continue;
        }
        let bash = Bash::new();
        bash.file(&unchecked(script, value), &[]);
        if !bash.left().contains(&"canary".to_owned()) {
            harmless.push(*script);
        }
    }
    assert!(harmless.is_empty(), "nothing ran:\n{}", harmless.join("\n"));
}

/// Ordinary scripts, in which `${a.b}` is the name of a file with four lines.
const FINE: &[&str] = &[
    "tar -cf t.tar ${a.b}; mkdir out; tar -xf t.tar -C out; ls out",
    "size=$(stat -c %s ${a.b}); echo $((size/4))",
    "n=$(wc -l < ${a.b}); if [[ $n -gt 0 ]]; then echo \"$n\"; fi",
    "n=2; [[ $n -gt 0 ]] && echo \"${a.b}\"",
    "export \"X=${a.b}\"; bash -c 'echo \"$X\"'",
    "declare \"X=${a.b}\"; echo \"$X\"",
    "# alias and posix\necho \"aliases, expand_aliases and posix\" ${a.b}",
    "count=$(find ${a.b} -type f | wc -l); (( count > 0 )) && echo \"$count\"",
    "file=${a.b}; (( $(wc -l < \"$file\") > 3 )) && echo \"$file\"",
    "n=3; file=${a.b}\n[[ $n -gt 0 ]] && echo \"$file\"",
    "file=${a.b}; [[ $# -eq 0 || -f $file ]] && echo yes",
    "for file in ${a.b}; do [[ $(wc -l < \"$file\") -gt 1 ]] && echo \"$file\"; done",
    "name=${a.b}; echo \"please let $name know\"; printf '%s\\n' \"log[$name]\" # (( name ))",
    "file=${a.b}; grep '[0-9]' \"$file\"",
    "a=$(( $(date +%s) - $(stat -c %Y ${a.b}) )); (( a < 100000 )) && echo young",
    "eval \"$(echo 'y=1')\"; echo ${a.b} $y",
    "eval $(echo y=1); f() { echo $1; }; f ${a.b}",
    "if [ $(wc -l < ${a.b}) -gt 3 ]; then echo many; fi",
    "count=$(grep -c 2 ${a.b}); if (( count > 0 )); then echo \"$count\"; fi",
    "i=0\nfor f in ${a.b} x; do\n  i=$((i+1))\n  arr[$i]=$f\ndone\necho \"${arr[1]}\"",
    "keep() {\n  local src=$1 dst=$2\n  mkdir -p -- \"$dst\" && cp -a -- \"$src\" \"$dst/\"\n}\nkeep ${a.b} d; ls d",
    "log() { printf '%s\\n' \"$*\" >> run.log; }\nlog \"with ${a.b}\"\ncat run.log",
    "src=\"${a.b}\"\nname=\"$(basename -- \"$src\")\"\necho \"${name##*.}\" \"${name%.*}\" \"${#name}\"",
    "while read -r line; do (( total += 1 )); echo \"$line\"; done < ${a.b}; echo $total",
    "retry() { local n=0; until \"$@\"; do n=$((n+1)); (( n >= 3 )) && return 1; done; }\nretry cp ${a.b} copy; ls",
    "V=${a.b} awk 'BEGIN { print ENVIRON[\"V\"] }'",
    "path=${a.b}; echo \"${path:0:2} ${path^^}\"",
    "[[ ${a.b} =~ ^(.*)\\.txt$ ]] && echo \"${BASH_REMATCH[1]}\"",
    "check() { [[ $1 -gt 1 ]] && echo \"$2\"; }\ncheck 5 ${a.b}",
    "args=(-n 1 -- ${a.b}); head \"${args[@]}\"",
    "main() {\n  local path=\"$1\" count=\"$2\"\n  (( count > 3 )) && echo \"$path\"\n}\nmain \"${a.b}\" 4",
    "thumb() { local w=\"${2:-100}\"; echo \"$1 $((w*2))\"; }\nthumb \"${a.b}\" 200; thumb \"${a.b}\"",
    "retry() { local n=0 max=$1; shift; until \"$@\"; do n=$((n+1)); (( n >= max )) && return 1; done; }\nretry 2 cp ${a.b} copy; ls",
    "t=5; f=\"${a.b}\"; timeout \"$t\" wc -l \"$f\"; find \"./$f\" -maxdepth 0",
    // Scripts like these were once refused for what they do with copies.
    "f=${a.b}; printf '%s\\n' \"{\\\"day\\\": \\\"$(echo today)\\\", \\\"file\\\": \\\"$f\\\"}\"",
    "printf '%s\\n' \"{\\\"day\\\": \\\"$(echo today)\\\", \\\"file\\\": \\\"${a.b}\\\"}\"",
    "files=(x ${a.b}); for i in \"${!files[@]}\"; do (( i > 0 )) && echo \"$i ${files[$i]}\"; done",
    "(( $(du -k ${a.b} | cut -f1) < 1000 )) && echo small",
    "f=${a.b}; n=$(du -k \"$f\" | cut -f1); if (( n < 1000 )); then echo small; fi",
    "n=$(grep -o '[0-9]*' ${a.b} | head -n 1); echo $(( n + 1 ))",
    "n=$(grep -o '[0-9]*' <<< \"x7 ${a.b}\"); echo $(( n + 1 ))",
    "count=$(ls -- ${a.b} | wc -l); [[ $count -gt 0 ]] && echo $((count * 2))",
    "f=${a.b}; timeout 5 env LC_ALL=C wc -l \"$f\"; for w in $f; do echo \"$w\"; done",
    "declare -A seen; for f in ${a.b} x; do seen[$f]=1; done; echo \"${#seen[@]}\"",
];

#[test]
fn ordinary_scripts_do_what_they_do() {
    let name = "my file.txt";
    let known = values(&[("a.b", text(name))]);
    for script in FINE {
        let template = check_template(script);
        let bound = template.and_then(|template| template.bind(&known, Missing::Refuse));
        let bound = bound.unwrap_or_else(|error| panic!("{script}\n{error}"));
        let run = |text: &str| {
            let bash = Bash::new();
            std::fs::write(bash.root.join("work").join(name), "1\n2\n3\n4\n").unwrap();
            bash.file(text, &[])
        };
        let reference = run(&unchecked(script, name));
        assert!(!reference.0.is_empty(), "{script}\n{}", reference.1);
        assert_eq!(run(&bound.text(&[])), reference, "{script}");
        let told = copied_values(script, &[]);
        assert!(told.is_empty(), "{script} {told:?}");
    }
}

#[test]
fn a_double_dash_helps_where_the_program_knows_it() {
    let option = values(&[("a.b", text("-delete"))]);
    let bind = |script: &str| {
        let template = check_template(script).unwrap();
        let bound = template.bind(&option, Missing::Refuse);
        bound.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(bind("tar -cf t.tar -- ${a.b}"), Ok(()));
    assert_eq!(bind("find ./${a.b} -maxdepth 1"), Ok(()));
    for script in ["find -- ${a.b} -maxdepth 1", "convert -- ${a.b} out.png"] {
        let refused = bind(script).unwrap_err();
        assert!(refused.contains("write `./"), "{script}: {refused}");
        assert!(!refused.contains("`-- "), "{script}: {refused}");
    }
}

#[test]
fn exit_codes_are_numbers() {
    let template = check_template("f() { return ${a.b}; }\nf || exit ${a.b}").unwrap();
    let bash = Bash::new();
    let bound = template.bind(&values(&[("a.b", text("7"))]), Missing::Refuse);
    assert_eq!(bash.file(&bound.unwrap().text(&[]), &[]).2, Some(7));
    let refused = template.bind(&values(&[("a.b", text("x"))]), Missing::Refuse);
    assert!(refused.is_err());
}
#[test]
fn a_warning_names_the_value_its_copy_and_the_line() {
    let told = copied_values("x=${a.b}\ny=$x\n\neval \"$y\"\n(( y > 1 ))", &[]);
    let lines: Vec<usize> = told.iter().map(|one| one.line).collect();
    assert_eq!(lines, [4, 5], "{told:?}");
    assert_eq!(
        told[0].to_string(),
        "the value of `a.b` comes here in `$y`, which would be evaluated by the shell; write the \
         command, and give the value to it as an argument"
    );
    let number = told[1].to_string();
    assert!(number.contains("`--variable a.b:integer`"), "{number}");
    let numbers = [("a.b", Holds::Numbers)];
    assert_eq!(copied_values("x=${a.b}; (( x ))", &numbers), []);
}

/// A variable that is set before a script is a copy too.
#[test]
fn declared_variables_are_told_of_like_copies() {
    let scripts = [
        "(( X > 1 ))", "[[ $X -gt 1 ]]", "echo $((X+1))", "echo ${a[X]}",
        "f() { local -i q=$X; }; f", "f() { (( $1 )); }\nf \"$X\"", "eval \"$X\"",
        "bash -c \"$X\"", "$X", "echo \"${!X}\"",
    ];
    for script in scripts {
        let told = copied_values(script, &[("X", Holds::Text)]);
        assert!(!told.is_empty(), "{script}");
        assert_eq!(copied_values(script, &[("X", Holds::Numbers)]), []);
    }
    let fine = [
        "echo \"$X\"",
        "n=$(wc -l < \"$X\"); (( n > 1 ))",
        "cp -- \"$X\" y; for f in \"${X[@]}\"; do echo \"$f\"; done",
        "# (( X ))\necho 'eval $X'",
    ];
    for script in fine {
        assert_eq!(copied_values(script, &[("X", Holds::Text)]), [], "{script}");
    }
    let list = Value::List(vec![INDEX.to_owned()]);
    let bash = Bash::new();
    let template = check_template("printf '%s' \"${X[0]}\"").unwrap();
    let bound = template.bind(&values(&[]), Missing::Refuse).unwrap();
    let (output, error, _) = bash.file(&bound.text(&[("X".to_owned(), list)]), &[]);
    assert_eq!((output.as_str(), error.as_str()), (INDEX, ""));
}

#[test]
fn a_loop_evaluates_nothing_of_its_body() {
    assert!(is_bound(
        "declare -i i; for i in 1 2; do echo ${a.b}; done",
        INDEX
    ));
    assert!(!is_bound(
        "declare -i i; for i in ${a.b}; do echo; done",
        INDEX
    ));
}
