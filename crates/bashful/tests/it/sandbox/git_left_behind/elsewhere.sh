# The workspace is a worktree of a repository elsewhere, whose directory git needs too.

#= configuration of the worktree
#: before
worktree_of_another
git config extensions.worktreeConfig true
#: run
monitor "$(git rev-parse --git-dir)/config.worktree"

#= configuration of the worktree elsewhere
#: before
worktree_of_another
git config extensions.worktreeConfig true
#: run
monitor "$OUTSIDE/main/.git/config.worktree"
#: person
WORKSPACE=$OUTSIDE/main everywhere

#= the worktree says that the rest is here
#: before
worktree_of_another
#: run
cp -r "$OUTSIDE/main/.git" evil.git
monitor evil.git/config
echo "$WORKSPACE/evil.git" > "$(git rev-parse --git-dir)/commondir"

#= the repository elsewhere says that the rest is here
#: before
worktree_of_another
#: run
cp -r "$OUTSIDE/main/.git" evil.git
monitor evil.git/config
echo "$WORKSPACE/evil.git" > "$OUTSIDE/main/.git/commondir"
#: person
WORKSPACE=$OUTSIDE/main everywhere

#= a rebase in the worktree elsewhere
#: before
diverge
worktree_of_another
(cd "$OUTSIDE/main" && git rebase origin/other > /dev/null 2>&1 || true)
#: run
echo "exec $TOUCH" >> "$OUTSIDE/main/.git/rebase-merge/git-rebase-todo"
#: person
cd "$OUTSIDE/main"
echo both > file
git add file
run rebase --continue

#= a rebase in this worktree
#: before
diverge
worktree_of_another
#: run
git rebase origin/other
echo "exec $TOUCH" >> "$(git rev-parse --git-dir)/rebase-merge/git-rebase-todo"
echo both > file
git add file

#= a new worktree of the repository elsewhere
#: before
worktree_of_another
#: run
mkdir -p "$OUTSIDE/main/.git/worktrees/new" a/b
cp -r "$OUTSIDE/main/.git" evil.git
monitor evil.git/config
cp "$OUTSIDE/main/.git/HEAD" "$OUTSIDE/main/.git/worktrees/new/HEAD"
echo "$WORKSPACE/evil.git" > "$OUTSIDE/main/.git/worktrees/new/commondir"
echo "gitdir: $OUTSIDE/main/.git/worktrees/new" > a/b/.git

#= a submodule of the repository elsewhere
#: before
worktree_of_another
(cd "$OUTSIDE/main" && submodule library)
#: run
monitor "$OUTSIDE/main/.git/modules/library/config"
hooks "$OUTSIDE/main/.git/modules/library/hooks"
#: person
WORKSPACE=$OUTSIDE/main everywhere

#= an address of the repository elsewhere in the old way
#: before
worktree_of_another
git remote remove origin
#: run
mkdir -p "$OUTSIDE/main/.git/branches"
echo "http://127.0.0.1:$PORT/data" > "$OUTSIDE/main/.git/branches/origin"
#: person
WORKSPACE=$OUTSIDE/main everywhere

#= a record of the repository elsewhere that is a link
#: before
worktree_of_another
#: run
rm -f "$OUTSIDE/main/.git/logs/refs/heads/main"
ln -s "$CANARY" "$OUTSIDE/main/.git/logs/refs/heads/main"
#: person
WORKSPACE=$OUTSIDE/main everywhere

#= a repository of the run in a worktree
#: before
worktree_of_another
#: run
trap_in a/b/c
list_in_index a/b/c
