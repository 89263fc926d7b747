# What the person has already, and what a run adds to it or changes in it.

#= a bare repository of the person five levels down
#: before
git init -q --bare -b main tests/data/git/plain/repository.git
#: run
git config -f tests/data/git/plain/repository.git/config core.bare false
git config -f tests/data/git/plain/repository.git/config core.worktree "$WORKSPACE/tests"
monitor tests/data/git/plain/repository.git/config

#= a directory of the person that one more directory makes a repository
#: before
mkdir -p tests/data/repository/refs/heads
echo 'ref: refs/heads/main' > tests/data/repository/HEAD
git config -f tests/data/repository/config core.repositoryFormatVersion 0
#: run
mkdir tests/data/repository/objects
git config -f tests/data/repository/config core.bare false
git config -f tests/data/repository/config core.worktree "$WORKSPACE/tests/data/repository"
monitor tests/data/repository/config

#= a directory of the person that one more file makes a repository
#: before
mkdir -p tests/data/repository
echo 'ref: refs/heads/main' > tests/data/repository/HEAD
#: run
git init -q --bare parts
rm parts/HEAD
git config -f parts/config extensions.worktreeConfig true
monitor parts/config
printf '[core]\n\tbare = false\n\tworktree = .\n' > tests/data/repository/config.worktree
echo ../../../parts > tests/data/repository/commondir

#= hooks that a repository four levels down has elsewhere
#: before
repository group/team/project/part
git -C group/team/project/part config core.hooksPath .husky
mkdir group/team/project/part/.husky
#: run
hooks group/team/project/part/.husky

#= hooks that a repository four levels down would have elsewhere
#: before
repository group/team/project/part
git -C group/team/project/part config core.hooksPath ../hooks-to-come
#: run
hooks group/team/project/hooks-to-come

#= configuration that a repository four levels down would include
#: before
repository group/team/project/part
git -C group/team/project/part config include.path ../../to-come
#: run
monitor group/team/project/to-come

#= an index of a repository of the person lists one of the run
#: before
repository group/team/project/part
#: run
cd group/team/project/part
trap_in a/b
list_in_index a/b

#= a stash of the run that lists a repository of the run
#: run
trap_in a/b/c
list_in_index a/b/c
stash=$(git -c core.fsmonitor=false commit-tree -p HEAD -m index "$(git write-tree)")
stash=$(git commit-tree -p HEAD -p "$stash" -m stash "$(git write-tree)")
git reset -q
git stash store "$stash"
#: person
cd "$WORKSPACE"
run status
run stash pop --index
run status

#= a submodule that the run added, with hooks
#: before
repository group/project
#: run
git -c protocol.file.allow=always submodule --quiet add "$WORKSPACE/group/project" parts/new
hooks .git/modules/parts/new/hooks
monitor .git/modules/parts/new/config

#= repositories of submodules behind a link
#: before
submodule library
#: run
cp -r .git/modules hidden
monitor hidden/library/config
mv .git/modules old
ln -s ../hidden .git/modules

#= a worktree of a submodule says that the rest is elsewhere
#: before
submodule library
git -C library worktree add -q -b tree "$WORKSPACE/trees/library"
#: run
hooks .git/modules/library/hooks
cp -r .git/modules/library evil.git
monitor evil.git/config
echo "$WORKSPACE/evil.git" > .git/modules/library/worktrees/library/commondir

#= an address that looks like one of the person
#: before
git remote set-url origin http://127.0.0.2:9/project.git
#: run
git remote set-url origin "http://127.0.0.2:9@127.0.0.1:$PORT/project.git"

#= an address that ends like one of the person
#: before
git remote set-url origin http://127.0.0.2:9/project.git
#: run
git remote set-url origin "http://127.0.0.1:$PORT?@127.0.0.2:9/project.git"

#= an address with the name of the person's host in its path
#: before
git remote set-url origin http://127.0.0.2:9/project.git
#: run
git remote set-url origin "git://127.0.0.1:$PORT/127.0.0.2/project.git"

#= an address that a submodule of the run has in its own configuration
#: before
repository group/project
#: run
git -c protocol.file.allow=always submodule --quiet add "$WORKSPACE/group/project" parts/new
git -C parts/new remote set-url origin "http://127.0.0.1:$PORT/data"

#= a file that an included file includes
#: before
git config include.path ../shared.gitconfig
printf '[include]\n\tpath = later.gitconfig\n' > shared.gitconfig
#: run
monitor later.gitconfig

#= hooks that an included file names
#: before
git config include.path ../shared.gitconfig
git config -f shared.gitconfig core.hooksPath tools/hooks
#: run
hooks tools/hooks

#= hooks of the person's worktrees
#: before
git config core.hooksPath .husky
git worktree add -q -b beside beside
#: run
hooks beside/.husky
