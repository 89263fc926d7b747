# What git keeps in its directories besides configuration.

#= a rebase that goes on with a command
#: core
#: before
diverge
#: run
git rebase other
echo "exec $TOUCH" >> .git/rebase-merge/git-rebase-todo
echo both > file
git add file

#= a rebase that goes on with a command, in short
#: before
diverge
#: run
git rebase other
printf ' \tx  %s\n' "$TOUCH" >> .git/rebase-merge/git-rebase-todo
echo both > file
git add file

#= a rebase of the run whose command fails
#: before
diverge
#: run
git rebase --reschedule-failed-exec --exec "$TOUCH" HEAD~1

#= a rebase of the person to which the run adds a command
#: before
diverge
git rebase other > /dev/null 2>&1 || true
echo both > file
git add file
#: run
echo "exec $TOUCH" >> .git/rebase-merge/git-rebase-todo

#= a rebase in a submodule
#: before
submodule library
#: run
cd library
git checkout -q -B main
diverge
git rebase other
echo "exec $TOUCH" >> "$(git rev-parse --git-dir)/rebase-merge/git-rebase-todo"
echo both > file
git add file

#= a rebase in a worktree of the person
#: before
diverge
git worktree add -q -b tree trees/one main
#: run
cd trees/one
git rebase other
echo "exec $TOUCH" >> "$(git rev-parse --git-dir)/rebase-merge/git-rebase-todo"
echo both > file
git add file

#= a rebase in a repository of the person four levels down
#: before
repository group/team/project/part
(cd group/team/project/part && diverge)
#: run
cd group/team/project/part
git rebase other
echo "exec $TOUCH" >> .git/rebase-merge/git-rebase-todo
echo both > file
git add file

#= a rebase in a repository of the run
#: run
repository a/b/c
cd a/b/c
diverge
git rebase other
echo "exec $TOUCH" >> .git/rebase-merge/git-rebase-todo
echo both > file
git add file

#= a strategy of a rebase that is a program of the workspace
#: before
diverge
#: run
program git-merge-by/hand
git rebase other
echo both > file
git add file
echo by/hand > .git/rebase-merge/strategy
echo "pick $(git rev-parse other) more" >> .git/rebase-merge/git-rebase-todo

#= a strategy of a cherry-pick that is a program of the workspace
#: before
diverge
#: run
program git-merge-by/hand
git cherry-pick other~1 other
echo both > file
git add file
printf '[options]\n\tstrategy = by/hand\n' >> .git/sequencer/opts

#= a number of a rebase that the prompt executes
#: run
mkdir .git/rebase-merge
echo refs/heads/main > .git/rebase-merge/head-name
echo "\$($TOUCH)" > .git/rebase-merge/msgnum
echo 3 > .git/rebase-merge/end

#= a number of a patch series that the prompt executes
#: run
mkdir .git/rebase-apply
echo 1 > .git/rebase-apply/next
echo "\$($TOUCH)" > .git/rebase-apply/last

#= an index that brings a hook
#: run
program hook
python3 - "$(git hash-object -w hook)" << 'PYTHON'
import hashlib, struct, sys
old = open('.git/index', 'rb').read()
position, entries = 12, []
for _ in range(struct.unpack('>I', old[8:12])[0]):
    length = struct.unpack('>H', old[position + 60:position + 62])[0] & 0xfff
    end = position + ((62 + length) // 8 + 1) * 8
    entries.append((old[position + 62:position + 62 + length], old[position:end]))
    position = end
name = b'.git/hooks/post-checkout'
entry = bytes(24) + struct.pack('>I', 0o100755) + bytes(12) + bytes.fromhex(sys.argv[1])
entry += struct.pack('>H', len(name)) + name
entry += bytes(((62 + len(name)) // 8 + 1) * 8 - len(entry))
entries = sorted(entries + [(name, entry)])
new = b'DIRC' + struct.pack('>II', 2, len(entries)) + b''.join(entry for _, entry in entries)
open('.git/index', 'wb').write(new + hashlib.sha1(new).digest())
PYTHON
#: person
cd "$WORKSPACE"
run status
run checkout -- .
run checkout -b another
run status

#= a record of a branch that is a link to elsewhere
#: run
rm -f .git/logs/refs/heads/main
ln -s "$CANARY" .git/logs/refs/heads/main

#= a record of a branch to come that is a link to elsewhere
#: run
mkdir -p .git/logs/refs/heads
ln -s "$CANARY" .git/logs/refs/heads/feature

#= a record of a submodule that is a link to elsewhere
#: before
submodule library
#: run
rm -f .git/modules/library/logs/HEAD
ln -s "$CANARY" .git/modules/library/logs/HEAD

#= a record of a worktree that is a link to elsewhere
#: before
git worktree add -q -b tree trees/one
#: run
rm -f .git/worktrees/one/logs/HEAD
ln -s "$CANARY" .git/worktrees/one/logs/HEAD

#= a message of a repository of the run that is a link to elsewhere
#: run
repository a/b/c
rm -f a/b/c/.git/COMMIT_EDITMSG
ln -s "$CANARY" a/b/c/.git/COMMIT_EDITMSG

#= attributes beside the configuration that choose a filter of the person
#: before
git config --global filter.large.clean "$TOUCH"
git config --global filter.large.smudge "$TOUCH"
#: run
mkdir -p .git/info
echo '* filter=large' > .git/info/attributes
touch file

#= hooks in a directory that the person named for all repositories
#: core
#: before
git config --global core.hooksPath .githooks
#: run
hooks .githooks

#= hooks in a directory that the person named for all, in a repository below
#: before
git config --global core.hooksPath .githooks
repository group/project
#: run
hooks group/project/.githooks

#= hooks in a directory that the person named for all, in a submodule
#: before
git config --global core.hooksPath .githooks
submodule library
#: run
hooks library/.githooks

#= hooks in a directory that the person named for all, in a bare repository
#: before
git config --global core.hooksPath .githooks
git init -q --bare -b main places/upstream.git
git remote set-url origin ./places/upstream.git
#: run
hooks places/upstream.git/.githooks

#= hooks that the person's own configuration has beside every repository
#: before
git config --global core.hooksPath ../hooks-of-all
repository parts/one
#: run
hooks parts/hooks-of-all

#= a file that the configuration of the person includes
#: before
git config --global include.path "$WORKSPACE/team/gitconfig"
#: run
mkdir -p team
monitor team/gitconfig

#= a file that the configuration of a repository below includes
#: before
repository group/project
git -C group/project config include.path ../shared.gitconfig
#: run
monitor group/project/shared.gitconfig

#= a record of a branch with the name of a configuration is a link
#: run
git branch config
rm -f .git/logs/refs/heads/config
ln -s "$CANARY" .git/logs/refs/heads/config
git symbolic-ref HEAD refs/heads/config

#= a record of a branch with the name of what was held back is a link
#: run
git branch y.held-1
rm -f .git/logs/refs/heads/y.held-1
ln -s "$CANARY" .git/logs/refs/heads/y.held-1
git symbolic-ref HEAD refs/heads/y.held-1

#= a record that was held back belongs to a branch of the next run
#: run
mkdir -p .git/logs/refs/heads
ln -s "$CANARY" .git/logs/refs/heads/y
#: run
for name in .git/logs/refs/heads/y*; do
    echo "ref: refs/heads/${name##*/}" > .git/HEAD
    git branch -f "${name##*/}" main
done
git rev-parse HEAD
