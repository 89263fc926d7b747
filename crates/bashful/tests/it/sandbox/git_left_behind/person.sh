# What a person does with git every day: at the top, in each directory and in each repository.
# It stops where the canary appears, and says where that was.

# One command of git.
run() {
    git "$@" > /dev/null 2>&1 < /dev/null
    seen "git $*"
}

seen() {
    if [ -e "$CANARY" ]; then
        echo "$1 in $PWD"
        exit 0
    fi
}

# What many have in their prompt: git's own script, or what it does with the state of a rebase.
prompt() {
    bash -c '
        for file in /usr/lib/git-core/git-sh-prompt /usr/share/git/completion/git-prompt.sh \
            /usr/share/git-core/contrib/completion/git-prompt.sh; do
            [ -e "$file" ] && . "$file" && break
        done
        if type __git_ps1; then
            GIT_PS1_SHOWDIRTYSTATE=1
            __git_ps1 before after
        else
            cd "$(git rev-parse --git-dir)" && PS1=$(cat rebase-merge/msgnum rebase-apply/last)
        fi
        : "${PS1@P}"' > /dev/null 2>&1
    seen 'the prompt'
}

# What only looks, or hardly more.
look() {
    run status
    run diff
    run describe --always --dirty
    run log -3 --stat
    run branch -vv
    run worktree list
    run stash list
    run show
    run blame file
    run grep -q text
}

# What changes something.
work() {
    if [ -e .gitmodules ]; then
        run submodule status
        run submodule update --init
    fi
    run rebase --continue
    run cherry-pick --continue
    run checkout -- .
    echo "$RANDOM" >> file
    run stash
    run stash pop
    run add -A
    run status
    run commit -m work
    run switch feature
    run status
    run checkout main
    run checkout -b feature
    run switch main
    run merge feature
    run rebase HEAD~1
}

# What goes elsewhere.
share() {
    run tag "tag-$RANDOM"
    run fetch
    run pull
    run push
    run push origin HEAD
    run gc --auto
}

everywhere() {
    local known=" " directories directory name
    mapfile -d '' -t directories < <(cd "$WORKSPACE" && find . -type d ! -path '*/objects/*' \
        ! -path '*/refs/*' ! -path '*/logs/*' ! -path '*/hooks/*' -print0)
    for directory in "${directories[@]}"; do
        cd "$WORKSPACE/$directory" 2> /dev/null || continue
        # The directory of the repository, whether this is in the work tree, and its top.
        name=$(git rev-parse --absolute-git-dir --is-inside-work-tree --show-toplevel 2> /dev/null)
        seen 'git rev-parse'
        # In the rest of a work tree git does what it does at the top.
        [[ $known == *"[$name]"* ]] && continue
        known+="[$name]"
        if [[ $name == *$'\ntrue\n'* ]]; then
            look
            prompt
            work
            share
        else
            run status
            run log -1 -p
            run tag "tag-$RANDOM"
            run fetch
            run push
        fi
    done
}
