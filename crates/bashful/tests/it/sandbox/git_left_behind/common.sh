# Directories that a worktree shares with its repository, whatever they look like by themselves.

#= a common directory of the run without a head, for a submodule
#: core
#: run
mkdir -p .git/modules/a/objects .git/modules/a/refs
git config -f .git/modules/a/config core.repositoryFormatVersion 0
monitor .git/modules/a/config
hooks .git/modules/a/hooks
mkdir -p .git/modules/a/worktrees/y
cp .git/HEAD .git/modules/a/worktrees/y/HEAD
echo ../.. > .git/modules/a/worktrees/y/commondir
mkdir b
echo 'gitdir: ../.git/modules/a/worktrees/y' > b/.git

#= the same, listed in the index
#: run
mkdir -p .git/modules/a/objects .git/modules/a/refs
git config -f .git/modules/a/config core.repositoryFormatVersion 0
monitor .git/modules/a/config
mkdir -p .git/modules/a/worktrees/y
cp .git/HEAD .git/modules/a/worktrees/y/HEAD
echo ../.. > .git/modules/a/worktrees/y/commondir
mkdir b
echo 'gitdir: ../.git/modules/a/worktrees/y' > b/.git
git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),b"
cp -r .git/objects .git/modules/a/
mkdir -p .git/modules/a/refs/heads
git rev-parse HEAD > .git/modules/a/refs/heads/main
#: person
cd "$WORKSPACE"
run status
run diff

#= a common directory of the run without a head, anywhere
#: run
mkdir -p a/objects a/refs a/worktrees/y
git config -f a/config core.repositoryFormatVersion 0
git config -f a/config remote.origin.url "http://127.0.0.1:$PORT/data"
hooks a/hooks
cp .git/HEAD a/worktrees/y/HEAD
echo ../.. > a/worktrees/y/commondir

#= a common directory of the run with links for objects and references
#: run
mkdir -p a/worktrees/y
ln -s ../.git/objects a/objects
ln -s ../.git/refs a/refs
git config -f a/config core.repositoryFormatVersion 0
hooks a/hooks
cp .git/HEAD a/worktrees/y/HEAD
echo ../.. > a/worktrees/y/commondir

#= a common directory that is the directory of all submodules
#: run
mkdir -p .git/modules/objects .git/modules/refs .git/modules/worktrees/y
git config -f .git/modules/config core.repositoryFormatVersion 0
monitor .git/modules/config
cp .git/HEAD .git/modules/worktrees/y/HEAD
echo ../.. > .git/modules/worktrees/y/commondir
mkdir b
echo 'gitdir: ../.git/modules/worktrees/y' > b/.git

#= a common directory whose parts come one run after the other
#: run
mkdir -p a/objects a/refs
git config -f a/config core.repositoryFormatVersion 0
git config -f a/config remote.origin.url "http://127.0.0.1:$PORT/data"
#: run
mkdir -p a/worktrees/y
cp .git/HEAD a/worktrees/y/HEAD
echo ../.. > a/worktrees/y/commondir

#= a bare repository of the person with worktrees loses its head
#: before
git clone -q --bare . repository.git
git -C repository.git worktree add -q -b tree "$WORKSPACE/tree" main
#: run
rm repository.git/HEAD
hooks repository.git/hooks

#= a bare repository of the person with worktrees elsewhere loses its head
#: before
git clone -q --bare . places/repository.git
git -C places/repository.git worktree add -q -b tree "$OUTSIDE/tree" main
#: run
rm places/repository.git/HEAD
monitor places/repository.git/config
#: person
cd "$OUTSIDE/tree"
run status

#= a repository below the top of the person with worktrees loses its head
#: before
repository one/two/three/four
git -C one/two/three/four worktree add -q -b tree "$OUTSIDE/tree" main
#: run
rm one/two/three/four/.git/HEAD
hooks one/two/three/four/.git/hooks
#: person
cd "$OUTSIDE/tree"
run tag one

#= a common directory among objects
#: run
mkdir -p .git/objects/aa .git/worktrees/y
ln -s ../../objects .git/objects/aa/objects
ln -s ../../refs .git/objects/aa/refs
git config -f .git/objects/aa/config core.repositoryFormatVersion 0
monitor .git/objects/aa/config
cp .git/HEAD .git/worktrees/y/HEAD
echo ../../objects/aa > .git/worktrees/y/commondir
mkdir b
echo 'gitdir: ../.git/worktrees/y' > b/.git

#= a common directory among objects, of a worktree that may be one
#: run
mkdir -p .git/objects/aa/worktrees/y
ln -s ../../objects .git/objects/aa/objects
ln -s ../../refs .git/objects/aa/refs
git config -f .git/objects/aa/config remote.origin.url "http://127.0.0.1:$PORT/data"
cp .git/HEAD .git/objects/aa/worktrees/y/HEAD
echo ../.. > .git/objects/aa/worktrees/y/commondir
#: person
cd "$WORKSPACE/.git/objects/aa/worktrees/y"
run fetch

#= a worktree of a run whose rest has a configuration of its own for worktrees
#: run
mkdir -p a/objects a/refs a/worktrees/y
git config -f a/config core.repositoryFormatVersion 1
git config -f a/config extensions.worktreeConfig true
monitor a/worktrees/y/config.worktree
cp .git/HEAD a/worktrees/y/HEAD
echo ../.. > a/worktrees/y/commondir
git config -f a/worktrees/y/config.worktree core.worktree "$WORKSPACE"
