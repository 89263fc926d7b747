# Ways to hide a repository, or what is in it, from one who looks for it.

#= a directory that cannot be listed
#: run
trap_in a/b/c
list_in_index a/b/c
chmod 111 a a/b

#= a directory of the person after three hundred others
#: before
mkdir -p many/{1..300}
repository many/zzz
#: run
monitor many/zzz/.git/config

#= a directory of the run after three hundred others
#: run
mkdir -p many/{1..300}
trap_in many/zzz

#= an index of the fourth version
#: run
trap_in a/b/c
list_in_index a/b/c
git update-index --index-version 4

#= an index of a repository with longer names of objects
#: run
mkdir -p a/b
git init -q -b main --object-format=sha256 a/b
trap_in a/b/c/d
cd a/b
git update-index --add --cacheinfo "160000,$(printf '%064d' 1),c/d"

#= a submodule of the person that keeps its own directory
#: before
repository parts/deep/library
git add parts/deep/library 2> /dev/null
git commit -q -m library
#: run
monitor parts/deep/library/.git/config
hooks parts/deep/library/.git/hooks

#= directories of submodules that are others by now
#: before
submodule library
#: run
mv .git/modules old
mkdir .git/modules
cp -r old/library .git/modules/library
monitor .git/modules/library/config

#= the directory of a submodule that is another by now
#: before
submodule library
#: run
cp -r .git/modules/library prepared
monitor prepared/config
mv .git/modules/library .git/modules/old
mv prepared .git/modules/library

#= directories of worktrees that are others by now
#: before
git config extensions.worktreeConfig true
git worktree add -q -b tree trees/one
#: run
mv .git/worktrees old
cp -r old .git/worktrees
monitor .git/worktrees/one/config.worktree

#= hooks behind a link
#: run
repository a/b/c
hooks hidden
rm -rf a/b/c/.git/hooks
ln -s "$WORKSPACE/hidden" a/b/c/.git/hooks

#= configuration behind a link
#: run
repository a/b/c
mv a/b/c/.git/config hidden
ln -s "$WORKSPACE/hidden" a/b/c/.git/config
monitor hidden

#= configuration that includes other configuration
#: run
repository a/b/c
git -C a/b/c config include.path ../../more
monitor a/b/more

#= configuration of many megabytes
#: run
repository a/b/c
{ head -c 6000000 /dev/zero | tr '\0' '\n'; cat a/b/c/.git/config; } > large
mv large a/b/c/.git/config
monitor a/b/c/.git/config

#= configuration with a mark in front and words in one line
#: run
repository a/b/c
printf '\357\273\277[CORE]FsMonitor="%s"\n' "$TOUCH" > a/b/c/.git/config

#= a repository that is moved into its place at last
#: run
trap_in hidden
mkdir -p a/b/c
mv hidden/.git a/b/c/.git

#= a repository of a run that an earlier run brought in a file
#: run
trap_in hidden
tar -cf archive.tar -C hidden .
rm -rf hidden
#: run
mkdir -p a/b/c
tar -xf archive.tar -C a/b/c

#= a workspace that is no repository
#: before
rm -rf .git
#: run
trap_in a/b/c
hooks a/b/c/.git/hooks

#= a workspace of many projects
#: before
rm -rf .git
repository team/one
repository team/two
#: run
trap_in team/three
hooks team/one/.git/hooks

#= a repository in what only looks like objects
#: run
mkdir -p source/refs source/objects
echo 'ref: refs/heads/main' > source/HEAD
trap_in source/objects/application
