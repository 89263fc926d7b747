# Repositories that a run makes or moves. The workspace is the person's repository already.

#= a repository two levels down that the index lists
#: core
#: run
trap_in a/b
list_in_index a/b

#= a repository six levels down that the index lists
#: run
trap_in a/b/c/d/e/f
list_in_index a/b/c/d/e/f

#= a repository listed by one that is listed
#: run
repository a/b/c
trap_in a/b/c/d/e
(cd a/b/c && list_in_index d/e)
list_in_index a/b/c

#= a repository that is listed in a shared index only
#: run
trap_in a/b/c
list_in_index a/b/c
git update-index --split-index

#= a repository that a branch of the run lists
#: run
trap_in a/b/c
list_in_index a/b/c
commit=$(git commit-tree -p HEAD -m feature "$(git write-tree)")
git branch feature "$commit"
git reset -q

#= a repository that nothing lists, four levels down
#: run
trap_in a/b/c/d

#= a repository below a name with blanks and ends of lines
#: run
trap_in "a b/$(printf 'c\nd')/e "

#= a repository in target that an earlier run made
#: core
#: run
repository target/debug
#: run
monitor target/debug/.git/config
hooks target/debug/.git/hooks

#= a repository in node_modules that an earlier run made
#: run
repository node_modules/scope/package
#: run
monitor node_modules/scope/package/.git/config

#= a repository in directories that tools hide
#: run
trap_in .cache/tool/checkout
trap_in .venv/src/package

#= a repository of the person in target
#: before
repository target/checkout
#: run
monitor target/checkout/.git/config
hooks target/checkout/.git/hooks

#= forty repositories of the person among many directories
#: core
#: before
mkdir -p directory-{1..70} all/directory-{1..70}
for n in $(seq 40); do repository "all/number-$n"; done
#: run
for n in $(seq 40); do monitor "all/number-$n/.git/config"; done
#: person
for n in $(seq 40); do cd "$WORKSPACE/all/number-$n" && run status; done

#= a hundred repositories of the run among a hundred directories
#: before
mkdir -p many/{1..100}
#: run
repository many/1
for n in $(seq 2 100); do cp -r many/1/.git "many/$n/.git"; done
for n in $(seq 100); do monitor "many/$n/.git/config"; done
#: person
for n in $(seq 100); do cd "$WORKSPACE/many/$n" && run status; done

#= a repository of the person four levels down
#: before
repository group/team/project/part
#: run
monitor group/team/project/part/.git/config
hooks group/team/project/part/.git/hooks

#= a directory above a repository of the person is another
#: before
repository apps/web
#: run
mv apps old
trap_in apps/web

#= a repository of the person is renamed, and another takes its name
#: before
repository group/project
#: run
mv group/project group/old
trap_in group/project

#= a repository of the person is renamed and then changed
#: before
repository group/project
#: run
mv group elsewhere
monitor elsewhere/project/.git/config
hooks elsewhere/project/.git/hooks

#= the directory of a repository of the person is another
#: before
repository group/project
#: run
trap_in prepared
mv group/project/.git group/project/old
mv prepared/.git group/project/.git

#= a repository of the person is broken, and its directory is one instead
#: before
repository group/project
#: run
rm -f group/project/.git/HEAD
trap_directory prepared
git config -f prepared/config core.worktree "$WORKSPACE/group/project"
cp -r prepared/. group/project/

#= a bare repository one level down
#: core
#: run
trap_directory bare
git config -f bare/config core.worktree "$WORKSPACE/bare"

#= a bare repository five levels down
#: run
mkdir -p a/b/c/d
trap_directory a/b/c/d/e
git config -f a/b/c/d/e/config core.worktree "$WORKSPACE/a/b/c/d/e"

#= a bare repository in a directory of the person
#: run
trap_directory prepared
git config -f prepared/config core.worktree "$WORKSPACE/source/deeper"
mv prepared/* source/deeper/

#= a bare repository of two files that borrows the rest
#: run
git init -q --bare parts
rm parts/HEAD
git config -f parts/config extensions.worktreeConfig true
monitor parts/config
mkdir -p a/b
echo 'ref: refs/heads/main' > a/b/HEAD
echo "$WORKSPACE/parts" > a/b/commondir
printf '[core]\n\tbare = false\n\tworktree = .\n' > a/b/config.worktree

#= a bare repository of a dangling link and plain files
#: run
mkdir -p a/b
ln -s refs/heads/none a/b/HEAD
echo > a/b/objects
echo > a/b/refs
chmod 755 a/b/objects a/b/refs
git config -f a/b/config core.repositoryFormatVersion 0
git config -f a/b/config core.bare false
git config -f a/b/config core.worktree "$WORKSPACE/a/b"
monitor a/b/config

#= a bare repository of the person gets hooks
#: before
git init -q --bare -b main places/upstream.git
git remote set-url origin ./places/upstream.git
#: run
hooks places/upstream.git/hooks
