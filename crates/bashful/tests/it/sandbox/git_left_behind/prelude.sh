# What the scripts of all cases share. WORKSPACE, OUTSIDE, CANARY and PORT are set before it:
# the canary lies outside of the workspace, and only what must not be executed touches it.

export GIT_AUTHOR_NAME=Worker GIT_AUTHOR_EMAIL=w@example.org
export GIT_COMMITTER_NAME=Worker GIT_COMMITTER_EMAIL=w@example.org
export GIT_EDITOR=true GIT_TERMINAL_PROMPT=0

# The command that every planted program comes down to.
TOUCH="echo executed >> '$CANARY'; false"

# A program at this path.
program() {
    mkdir -p "$(dirname "$1")"
    printf '#!/bin/sh\n%s\n' "$TOUCH" > "$1"
    chmod 755 "$1"
}

# All hooks that ordinary commands start, in this directory.
hooks() {
    local name
    for name in pre-commit post-checkout post-index-change reference-transaction pre-push \
        pre-receive post-merge; do
        program "$1/$name"
    done
}

# A file system monitor in this file of configuration: `git status` starts it.
monitor() {
    git config -f "$1" core.fsmonitor "$TOUCH"
}

# A repository with one commit in this directory.
repository() {
    mkdir -p "$1"
    git init -q -b main "$1"
    echo text > "$1/file"
    git -C "$1" add file
    git -C "$1" commit -q -m first
}

# A repository whose configuration executes.
trap_in() {
    repository "$1"
    monitor "$1/.git/config"
}

# A bare repository whose configuration executes for whoever says that it is theirs.
trap_directory() {
    git init -q --bare -b main "$1"
    git config -f "$1/config" core.bare false
    monitor "$1/config"
}

# Lists a repository in the index of the one in the current directory.
list_in_index() {
    local commit
    commit=$(git -C "$1" -c core.fsmonitor=false rev-parse HEAD)
    git update-index --add --cacheinfo "160000,$commit,$1"
}

# Takes away one object that `git diff` needs.
lose_an_object() {
    local name
    name=$(git rev-parse HEAD:file)
    rm -f ".git/objects/${name:0:2}/${name:2}"
    echo other > file
}

# A populated submodule of this name, from a repository outside.
submodule() {
    [ -e "$OUTSIDE/library" ] || repository "$OUTSIDE/library"
    git -c protocol.file.allow=always submodule --quiet add "$OUTSIDE/library" "$1"
    git commit -q -m "with $1"
}

# A conflict of two branches, so that a rebase or a cherry-pick stops in the middle.
diverge() {
    git checkout -q -b other
    echo theirs > file
    git commit -q -a -m theirs
    echo more > more
    git add more
    git commit -q -m more
    git checkout -q main
    echo ours > file
    git commit -q -a -m ours
}

# The person's repository, with a place to push to. It is copied, so nothing names where it is.
furnish() {
    cd "$WORKSPACE" || exit 1
    repository .
    mkdir -p source/deeper
    echo text > source/deeper/file
    git add source
    git commit -q -m second
    git init -q --bare -b main "$OUTSIDE/upstream.git"
    git remote add origin ../outside/upstream.git
    git push -q -u origin main
}

# Makes the workspace a worktree of a repository outside, which has what it had.
worktree_of_another() {
    git clone -q --no-hardlinks . "$OUTSIDE/main"
    find . -mindepth 1 -delete
    git -C "$OUTSIDE/main" worktree add -q -b tree "$WORKSPACE"
}
