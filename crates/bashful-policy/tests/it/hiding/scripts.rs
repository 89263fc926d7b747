//! Texts that a shell runs later or elsewhere, wrappers, and strings that bash evaluates.

use super::place::{Place, place};

pub(crate) const PLACES: &[Place] = &[
    place("eval", "eval '§'").single(),
    place("eval double", "eval \"§\"").double(),
    place("eval ANSI", "eval $'§'").ansi(),
    place("eval several", "eval : \\; '§'").single(),
    place("eval --", "eval -- '§'").single(),
    place("eval of a variable", "x¤='§'; eval \"$x¤\"").single(),
    place("eval of an unquoted variable", "x¤='§'; eval $x¤")
        .single()
        .dynamic(),
    place("builtin eval", "builtin eval '§'").single(),
    place("command eval", "command eval '§'").single(),
    place("eval eval", "eval eval \"'§'\"").single().dynamic(),
    place("eval of a here-document", "eval \"$(cat <<'E¤'\n§\nE¤\n)\"").dynamic(),
    place("bash -c", "bash -c '§'").single(),
    place("bash -c double", "bash -c \"§\"").double(),
    place("bash -c ANSI", "bash -c $'§'").ansi(),
    place("bash -c with a name", "bash -c '§' name a b").single(),
    place("bash -ec", "bash -ec '§'").single(),
    place("bash -c -e", "bash -c -e '§'").single(),
    place("bash -c --", "bash -c -- '§'").single(),
    place("bash long options", "bash --norc --noprofile -c '§'").single(),
    place("bash +x", "bash +x -c '§'").single(),
    place("bash -o", "bash -o pipefail -c '§'").single(),
    place("bash -O", "bash -O extglob -c '§'").single(),
    place("bash -co", "bash -co pipefail '§'").single(),
    place("bash by path", "/bin/bash -c '§'").single(),
    place("quoted bash", "\"ba\"sh -c '§'").single(),
    place("bash of a variable", "x¤='§'; bash -c \"$x¤\"").single(),
    place("bash by a variable", "x¤=bash; $x¤ -c '§'").single(),
    place(
        "bash of an exported variable",
        "export x¤='§'; bash -c 'eval \"$x¤\"'",
    )
    .single()
    .dynamic(),
    place("bash of an argument", "bash -c 'eval \"$1\"' - '§'")
        .single()
        .dynamic(),
    place("sh -c", "sh -c '§'").single(),
    place("dash -c", "dash -c '§'").single(),
    place("dash that starts bash", "dash -c \"exec bash -c '§'\"")
        .single()
        .dynamic(),
    place("exec", "(exec bash -c '§')").single(),
    place("exec with options", "(exec -a x /bin/bash --norc -c '§')").single(),
    place("command", "command bash -c '§'").single(),
    place("command -p", "command -p bash -c '§'").single(),
    place("builtin command", "builtin command bash -c '§'").single(),
    place("env", "env bash -c '§'").single(),
    place("env with a variable", "env -u Y X=1 bash -c '§'").single(),
    place("env -C", "env -C . bash -c '§'").single(),
    place("nohup", "nohup bash -c '§'").single(),
    place("nice", "nice -n 1 bash -c '§'").single(),
    place("timeout", "timeout -k 1 9 bash -c '§'").single(),
    place("setsid", "setsid -w bash -c '§'").single(),
    place("stdbuf", "stdbuf -i0 -oL bash -c '§'").single(),
    place("time of bash", "time bash -c '§'").single(),
    place("flock", "flock . bash -c '§'").single(),
    place("flock -c", "flock . -c '§'").single(),
    place("script", "script -qec '§' /dev/null").single(),
    place("xargs", "echo | xargs bash -c '§'").single(),
    place(
        "xargs with options",
        "echo a | xargs -r -n 1 -P1 bash -c '§'",
    )
    .single(),
    place(
        "xargs that gets the text",
        "printf '%s\\0' '§' | xargs -0 bash -c",
    )
    .single()
    .dynamic(),
    place("find -exec", "find . -maxdepth 0 -exec bash -c '§' \\;").single(),
    place(
        "find -exec +",
        "find . -maxdepth 0 -exec bash -c '§' - {} +",
    )
    .single(),
    place(
        "find -execdir",
        "find . -maxdepth 0 -execdir bash -c '§' ';'",
    )
    .single(),
    place(
        "wrapper in a wrapper",
        "env nice timeout 9 nohup env bash -c '§'",
    )
    .single(),
    place("here-document to bash", "bash <<'E¤'\n§\nE¤\n"),
    place("expanding here-document to bash", "bash <<E¤\n§\nE¤\n").here_document(),
    place("here-document to bash -s", "bash -s a b <<'E¤'\n§\nE¤\n"),
    place(
        "here-document to a group with bash",
        "{ bash; } <<'E¤'\n§\nE¤\n",
    )
    .dynamic(),
    place("here-document by cat to bash", "cat <<'E¤' | bash\n§\nE¤\n").dynamic(),
    place(
        "here-document to a file descriptor",
        "bash /dev/fd/3 3<<'E¤'\n§\nE¤\n",
    )
    .dynamic(),
    place(
        "here-document to standard input's name",
        "bash /dev/stdin <<'E¤'\n§\nE¤\n",
    )
    .dynamic(),
    place("here-string to bash", "bash <<< '§'").single(),
    place(
        "here-string to a loop of eval",
        "while read -r x¤; do eval \"$x¤\"; done <<< '§'",
    )
    .single()
    .dynamic(),
    place("echo to sh", "echo '§' | sh").single(),
    place("echo to bash", "echo '§' | bash").single(),
    place("printf to bash", "printf '%s\\n' '§' | bash").single(),
    place("printf format to bash", "printf '%b' '§' | bash")
        .single()
        .dynamic(),
    place("echo by tee to bash", "echo '§' | tee /dev/null | bash")
        .single()
        .dynamic(),
    place("echo to a group with bash", "echo '§' | { bash; }")
        .single()
        .dynamic(),
    place("echo to xargs", "echo '§' | xargs -d '\\n' -n1 bash -c")
        .single()
        .dynamic(),
    place("group to bash", "{ echo :; echo '§'; } | bash")
        .single()
        .dynamic(),
    place("process substitution to bash", "bash <(echo '§')")
        .single()
        .dynamic(),
    place(
        "bash in a process substitution",
        "echo '§' > >(bash); wait $!",
    )
    .single()
    .dynamic(),
    place("tee to bash", "echo '§' | tee >(bash) >/dev/null; wait $!")
        .single()
        .dynamic(),
    place("source of standard input", "source /dev/stdin <<< '§'")
        .single()
        .dynamic(),
    place("dot of standard input", ". /dev/stdin <<'E¤'\n§\nE¤\n").dynamic(),
    place("dot of a process substitution", ". <(echo '§')")
        .single()
        .dynamic(),
    place(
        "source of a process substitution",
        "source <(cat <<'E¤'\n§\nE¤\n)",
    )
    .dynamic(),
    place("builtin dot", "builtin . <(echo '§')")
        .single()
        .dynamic(),
    place(
        "substitution that is read by bash",
        "bash -c \"$(echo '§')\"",
    )
    .single()
    .dynamic(),
    place("output as name", "$(echo eval) '§'")
        .single()
        .dynamic(),
    place("written script", "echo '§' > s¤; bash s¤")
        .single()
        .dynamic(),
    place("written script, sourced", "cat > s¤ <<'E¤'\n§\nE¤\n. ./s¤").dynamic(),
    place(
        "written script, executed",
        "echo '§' > s¤; chmod +x s¤; ./s¤",
    )
    .single()
    .judged(),
    place(
        "written script, from a redirect",
        "echo '§' > s¤; bash < s¤",
    )
    .single()
    .dynamic(),
    place("trap EXIT", "(trap '§' EXIT)").single(),
    place("trap 0", "(trap -- '§' 0)").single(),
    place("trap ERR", "trap '§' ERR; false; trap - ERR").single(),
    place("trap DEBUG", "trap '§' DEBUG; :; trap - DEBUG").single(),
    place(
        "trap RETURN",
        "f¤() { trap '§' RETURN; }; f¤; trap - RETURN",
    )
    .single(),
    place("trap of a signal", "trap '§' USR1; kill -USR1 $BASHPID; :").single(),
    place("trap of several", "(trap \"§\" TERM EXIT)").double(),
    place("trap of a variable", "x¤='§'; (trap \"$x¤\" EXIT)").single(),
    place(
        "trap that expands later",
        "x¤='§'; (trap 'eval \"$x¤\"' EXIT)",
    )
    .single()
    .dynamic(),
    place("builtin trap", "(builtin trap '§' EXIT)").single(),
    place("prompt expansion", "x¤='$(§)'; : \"${x¤@P}\"")
        .single()
        .dynamic(),
    place("prompt expansion of all", "set -- '$(§)'; : \"${@@P}\"")
        .single()
        .dynamic(),
    place("trace prompt", "PS4='$(§)'; set -x; :; set +x")
        .single()
        .dynamic(),
    place(
        "trace prompt with the option first",
        "set -x; PS4='$(§)'; :; set +x",
    )
    .single()
    .dynamic(),
    place("trace prompt by option", "PS4='$(§)' bash -xc :")
        .single()
        .dynamic(),
    place("mapfile callback", "mapfile -c 1 -C '§ #' x¤ <<< a")
        .single()
        .dynamic(),
    place("readarray callback", "readarray -C'§ #' -c1 x¤ <<< a")
        .single()
        .dynamic(),
    place("alias", "shopt -s expand_aliases\nalias a¤='§'\na¤\n").single(),
    place(
        "alias to an alias",
        "shopt -s expand_aliases\nalias a¤='§' b¤=a¤\nb¤\n",
    )
    .single(),
    place(
        "alias with a blank",
        "shopt -s expand_aliases\nalias c¤='command ' a¤='eval'\nc¤ a¤ '§'\n",
    )
    .single()
    .dynamic(),
    place(
        "alias that opens",
        "shopt -s expand_aliases\nalias a¤='if'\na¤ :; then §\nfi\n",
    )
    .dynamic(),
    place(
        "alias of a program",
        "shopt -s expand_aliases\nalias ls='§'\nls\n",
    )
    .single(),
    place(
        "bash with aliases",
        "bash -O expand_aliases -c $'alias a¤=\\'§\\'\\na¤'",
    )
    .ansi()
    .dynamic(),
    place("arithmetic of a string", "x¤='a[$(§)]'; (( x¤ ))")
        .single()
        .dynamic(),
    place(
        "arithmetic expansion of a string",
        "x¤='a[$(§)]'; : $(( x¤ + 1 ))",
    )
    .single()
    .dynamic(),
    place("condition of a string", "[[ 'a[$(§)]' -eq 0 ]]")
        .single()
        .dynamic(),
    place(
        "condition of a string in a variable",
        "x¤='a[$(§)]'; [[ $x¤ -gt 0 ]]",
    )
    .single()
    .dynamic(),
    place("condition of a name", "x¤='a[$(§)]'; [[ x¤ -eq 0 ]]")
        .single()
        .dynamic(),
    place("let of a string", "let 'a[$(§)]=1'")
        .single()
        .dynamic(),
    place("let of a variable", "x¤='a[$(§)]'; let \"$x¤\"")
        .single()
        .dynamic(),
    place("let of a name", "x¤='a[$(§)]'; let x¤")
        .single()
        .dynamic(),
    place("declare of a string", "declare 'a[$(§)]=1'")
        .single()
        .dynamic(),
    place("declare -i of a string", "declare -i x¤='a[$(§)]'")
        .single()
        .dynamic(),
    place("assignment to an integer", "declare -i x¤; x¤='a[$(§)]'")
        .single()
        .dynamic(),
    place("export of a string", "typeset -a 'a[$(§)]=1'")
        .single()
        .dynamic(),
    place("unset of a string", "a=(1); unset 'a[$(§)]'")
        .single()
        .dynamic(),
    place("printf -v", "printf -v 'a[$(§)]' x")
        .single()
        .dynamic(),
    place("printf -v attached", "printf '-va[$(§)]' x")
        .single()
        .dynamic(),
    place("read of a subscript", "read 'a[$(§)]' <<< x")
        .single()
        .dynamic(),
    place(
        "read -a after options",
        "read -r -d '' 'a[$(§)]' < <(echo x)",
    )
    .single()
    .dynamic(),
    place("test -v", "test -v 'a[$(§)]'").single().dynamic(),
    place("bracket -v", "a=1; [ -v 'a[$(§)]' ]")
        .single()
        .dynamic(),
    place("test of numbers", "[[ 1 -eq 'a[$(§)]' ]]")
        .single()
        .dynamic(),
    place("wait -p", ": & wait -n -p 'a[$(§)]'")
        .single()
        .dynamic(),
    place("offset of a string", "y¤='a[$(§)]'; x¤=abc; : ${x¤:y¤}")
        .single()
        .dynamic(),
    place("subscript of a string", "y¤='a[$(§)]'; a=(1); : ${a[y¤]}")
        .single()
        .dynamic(),
    place("subscript of an assignment", "y¤='b[$(§)]'; a[y¤]=1")
        .single()
        .dynamic(),
    place("indirection", "y¤='a[$(§)]'; : ${!y¤}")
        .single()
        .dynamic(),
    place("name reference", "declare -n r¤='a[$(§)]'; : $r¤")
        .single()
        .dynamic(),
    place(
        "arithmetic for of a string",
        "x¤='a[$(§)]'; for ((; x¤; )); do break; done",
    )
    .single()
    .dynamic(),
    place("shift of a string", "x¤='a[$(§)]'; set -- a; : ${@:x¤}")
        .single()
        .dynamic(),
    place(
        "exported function by variable",
        "env 'BASH_FUNC_f¤%%=() { §\n}' bash -c f¤",
    )
    .single()
    .judged(),
    place(
        "start-up file by variable",
        "echo '§' > s¤; BASH_ENV=./s¤ bash -c :",
    )
    .single()
    .judged(),
    place("start-up file by pipe", "BASH_ENV=<(echo '§') bash -c :")
        .single()
        .judged(),
    place(
        "start-up file by option",
        "echo '§' > s¤; bash --rcfile ./s¤ -ic : </dev/null",
    )
    .single()
    .judged(),
    place(
        "command not found",
        "command_not_found_handle() { §; }; nosuchthing_7f3a",
    ),
    place("awk", "awk 'BEGIN { system(ARGV[1]) }' '§'")
        .single()
        .judged(),
    place("perl", "perl -e 'system($ARGV[0])' '§'")
        .single()
        .judged(),
    place(
        "python",
        "python3 -c 'import os, sys; os.system(sys.argv[1])' '§'",
    )
    .single()
    .judged(),
    place("sed", "echo '§' | sed e").single().judged(),
    place(
        "make",
        "S='§' make -sf - <<'E¤'\nall:\n\t@bash -c \"$$S\"\nE¤\n",
    )
    .single()
    .judged(),
    place(
        "tar",
        "S='§' tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='bash -c \"$S\"' .",
    )
    .single()
    .judged(),
    place("git alias", "S='§' git -c alias.x='!bash -c \"$S\"' x")
        .single()
        .judged(),
    place(
        "git editor",
        "S='§' GIT_EDITOR='bash -c \"$S\"' git config -f f -e",
    )
    .single()
    .judged(),
    place(
        "vim",
        "S='§' vim -es -c '!bash -c \"$S\"' -c 'q!' </dev/null",
    )
    .single()
    .judged(),
    place(
        "ssh",
        "S='§' ssh -o 'ProxyCommand=bash -c \"$S\"' nowhere.invalid",
    )
    .single()
    .judged(),
    place("busybox", "busybox sh -c '§'").single(),
    place("watch", "TERM=vt100 timeout 0.3 watch -t '§' </dev/null")
        .single()
        .dynamic(),
    place("enable and dot", "enable -n echo; . <(echo '§')")
        .single()
        .dynamic(),
    place("chained shells", "bash -c \"sh -c \\\"bash -c '§'\\\"\"")
        .single()
        .dynamic(),
];
