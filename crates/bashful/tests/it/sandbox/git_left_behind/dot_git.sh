# What is named .git, and what it leads to: files, links, submodules and worktrees.

#= the file of a submodule names another directory
#: core
#: before
submodule library
#: run
trap_directory evil.git
echo "gitdir: $WORKSPACE/evil.git" > library/.git

#= the file of a submodule names another directory from where it is
#: before
submodule parts/deep/library
#: run
trap_directory evil.git
echo 'gitdir: ../../../evil.git' > parts/deep/library/.git

#= the file of a submodule becomes a directory
#: before
submodule library
#: run
trap_directory evil.git
rm -f library/.git
mv evil.git library/.git

#= the file of a submodule becomes a link
#: before
submodule library
#: run
trap_directory evil.git
rm -f library/.git
ln -s ../evil.git library/.git

#= a submodule is moved away and another takes its place
#: before
submodule library
#: run
mv library old
trap_in library

#= a file in a new directory
#: run
trap_directory evil.git
mkdir -p a/b/c
echo 'gitdir: ../../../evil.git' > a/b/c/.git

#= a file with a blank at the end of the name
#: run
trap_directory 'evil.git '
git init -q --bare evil.git
mkdir -p a/b
echo 'gitdir: ../../evil.git ' > a/b/.git

#= a file in which the name ends early
#: run
trap_directory evil.git
mkdir -p a/b
printf 'gitdir: ../../evil.git\0/../harmless\n' > a/b/.git

#= a file of a million ends of lines
#: run
trap_directory evil.git
mkdir -p a/b
{ echo 'gitdir: ../../evil.git'; head -c 1000000 /dev/zero | tr '\0' '\n'; } > a/b/.git

#= a file that names a file that is a link to a directory
#: run
mkdir -p a/b hidden
trap_directory hidden/evil.git
ln -s hidden/evil.git way
echo 'gitdir: ../../way' > a/b/.git

#= a link four levels down
#: run
trap_directory evil.git
mkdir -p a/b/c/d
ln -s "$WORKSPACE/evil.git" a/b/c/d/.git

#= a file that names a repository of the person elsewhere, with hooks beside it
#: before
repository "$OUTSIDE/elsewhere"
git -C "$OUTSIDE/elsewhere" config core.hooksPath .husky
#: run
mkdir -p a/b
hooks a/b/.husky
echo "gitdir: $OUTSIDE/elsewhere/.git" > a/b/.git

#= commondir in the repository of a submodule
#: core
#: before
submodule library
#: run
trap_directory evil.git
echo "$WORKSPACE/evil.git" > .git/modules/library/commondir

#= commondir with ends of lines and a byte that ends it
#: before
submodule library
#: run
trap_directory evil.git
printf '%s\0more\n\n\n' "$WORKSPACE/evil.git" > .git/modules/library/commondir

#= commondir in the repository at the top
#: run
cp -r .git evil.git
monitor evil.git/config
echo ../evil.git > .git/commondir

#= commondir in a repository of the person four levels down
#: before
repository group/team/project/part
#: run
trap_directory evil.git
echo "$WORKSPACE/evil.git" > group/team/project/part/.git/commondir

#= configuration and hooks of a submodule of a submodule
#: before
repository "$OUTSIDE/library"
repository "$OUTSIDE/inner"
git -C "$OUTSIDE/library" -c protocol.file.allow=always submodule --quiet add "$OUTSIDE/inner" inner
git -C "$OUTSIDE/library" commit -q -m inner
submodule library
git -c protocol.file.allow=always submodule --quiet update --init --recursive
#: run
monitor .git/modules/library/modules/inner/config
hooks .git/modules/library/modules/inner/hooks
echo x >> library/inner/file

#= a submodule whose name has slashes
#: before
submodule a/b/library
#: run
monitor .git/modules/a/b/library/config
hooks .git/modules/a/b/library/hooks

#= the repository of a submodule that is not there yet
#: before
submodule library
git submodule --quiet deinit -f library
rm -rf .git/modules/library
#: run
repository prepared
git update-index --cacheinfo "160000,$(git -C prepared rev-parse HEAD),library"
git commit -q -m another
git clone -q --bare prepared .git/modules/library
git config -f .git/modules/library/config core.bare false
monitor .git/modules/library/config
hooks .git/modules/library/hooks

#= configuration of a new worktree
#: core
#: before
git config core.repositoryFormatVersion 1
git config extensions.worktreeConfig true
#: run
git worktree add -q tree
monitor .git/worktrees/tree/config.worktree

#= configuration of a worktree of the person
#: before
git config extensions.worktreeConfig true
git worktree add -q -b tree trees/one
#: run
monitor .git/worktrees/one/config.worktree

#= configuration of the worktree at the top
#: before
git config extensions.worktreeConfig true
#: run
monitor .git/config.worktree

#= a worktree of the person that says where the rest is
#: before
git worktree add -q -b tree trees/one
#: run
cp -r .git evil.git
monitor evil.git/config
echo "$WORKSPACE/evil.git" > .git/worktrees/one/commondir

#= a worktree of the person whose file says something else
#: before
git worktree add -q -b tree trees/one
#: run
trap_directory evil.git
echo "gitdir: $WORKSPACE/evil.git" > trees/one/.git

#= a worktree of the run of a repository of the run
#: run
trap_in hidden/repository
git -C hidden/repository -c core.fsmonitor=false worktree add -q "$WORKSPACE/a/b/tree"

#= a file that leads to a repository in the run's own home
#: run
git init -q "$HOME/evil"
git -C "$HOME/evil" commit -q --allow-empty -m evil
git -C "$HOME/evil" worktree add -q "$HOME/tree" -b tree
mkdir sub
mv "$HOME/tree/.git" sub/.git
echo "$WORKSPACE/sub/.git" > "$HOME/evil/.git/worktrees/tree/gitdir"
monitor "$HOME/evil/.git/config"

#= a file that leads to a submodule's repository in the run's own cache
#: run
mkdir -p "$XDG_CACHE_HOME"
git init -q --separate-git-dir "$XDG_CACHE_HOME/evil" sub
git config --file "$XDG_CACHE_HOME/evil/config" core.worktree "$WORKSPACE/sub"
monitor "$XDG_CACHE_HOME/evil/config"
