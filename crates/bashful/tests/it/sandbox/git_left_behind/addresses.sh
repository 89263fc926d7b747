# Where the person's git goes: a listener waits on PORT, and paths execute hooks where they end.

#= a missing object that a new remote promises
#: core
#: run
git config core.repositoryFormatVersion 1
git config extensions.partialClone promised
git config remote.promised.url "http://127.0.0.1:$PORT/data"
git config remote.promised.promisor true
lose_an_object

#= a missing object that a remote promises without an extension
#: run
git config remote.promised.url "http://127.0.0.1:$PORT/data"
git config remote.promised.promisor true
lose_an_object

#= a missing object that the remote of the person promises elsewhere
#: run
git config remote.origin.url "git://127.0.0.1:$PORT/data"
git config remote.origin.promisor true
lose_an_object

#= a missing object in a repository of the person four levels down
#: before
repository group/team/project/part
#: run
cd group/team/project/part
git config remote.promised.url "http://127.0.0.1:$PORT/data"
git config remote.promised.promisor true
lose_an_object

#= a missing object in a repository of the run
#: run
repository a/b/c
cd a/b/c
git config remote.promised.url "http://127.0.0.1:$PORT/data"
git config remote.promised.promisor true
lose_an_object

#= the remote has another address
#: run
git remote set-url origin "http://127.0.0.1:$PORT/data"

#= the remote has another address for pushes
#: run
git remote set-url --push origin "git://127.0.0.1:$PORT/data"

#= the remote has a second address
#: run
git remote set-url --add --push origin "http://127.0.0.1:$PORT/data"

#= addresses are replaced by others
#: run
git config "url.http://127.0.0.1:$PORT/.insteadOf" ../outside/

#= addresses for pushes are replaced by others
#: run
git config "url.http://127.0.0.1:$PORT/.pushInsteadOf" ../outside/

#= the branch has an address for its remote
#: run
git config branch.main.remote "http://127.0.0.1:$PORT/data"

#= the branch has an address for pushes
#: run
git config branch.main.pushRemote "http://127.0.0.1:$PORT/data"

#= pushes go to an address
#: run
git config remote.pushDefault "http://127.0.0.1:$PORT/data"

#= the name of a remote is an address
#: run
git config "remote.http://127.0.0.1:$PORT/data.tagOpt" --no-tags
git config branch.main.remote "http://127.0.0.1:$PORT/data"

#= bundles come from an address
#: run
git config fetch.bundleURI "http://127.0.0.1:$PORT/data"

#= a new remote that the branch follows
#: run
git remote add backup "http://127.0.0.1:$PORT/data"
git config branch.main.remote backup

#= a remote in the way of the first versions of git
#: before
git remote remove origin
#: run
mkdir -p .git/remotes
printf 'URL: http://127.0.0.1:%s/data\nPush: refs/heads/main\n' "$PORT" > .git/remotes/origin

#= a remote in the way of the second versions of git
#: before
git remote remove origin
#: run
mkdir -p .git/branches
echo "http://127.0.0.1:$PORT/data" > .git/branches/origin

#= a remote in the old way in a submodule
#: before
submodule library
git -C library remote remove origin
#: run
mkdir -p .git/modules/library/branches
echo "http://127.0.0.1:$PORT/data" > .git/modules/library/branches/origin

#= a repository of the run with an address of its own
#: run
repository a/b/c
git -C a/b/c remote add origin "http://127.0.0.1:$PORT/data"

#= a submodule gets an address
#: before
submodule library
#: run
git -C library remote set-url origin "http://127.0.0.1:$PORT/data"

#= a submodule of the run with an address
#: run
repository a/b/c
list_in_index a/b/c
rm -rf a/b/c
git config -f .gitmodules submodule.new.path a/b/c
git config -f .gitmodules submodule.new.url "http://127.0.0.1:$PORT/data"
git add .gitmodules

#= the remote is a path in the workspace
#: core
#: run
git init -q --bare -b main a.git
hooks a.git/hooks
git remote set-url origin ./a.git

#= the remote is a whole path in the workspace
#: run
mkdir -p a/b
git init -q --bare -b main a/b/c
hooks a/b/c/hooks
git remote set-url origin "$WORKSPACE/a/b/c"

#= the remote is a path behind a scheme
#: run
git init -q --bare -b main a.git
hooks a.git/hooks
git remote set-url origin "file://$WORKSPACE/a.git"

#= pushes go to a path
#: run
git init -q --bare -b main a.git
hooks a.git/hooks
git remote set-url --push origin ./a.git

#= the branch has a path for pushes
#: run
git init -q --bare -b main a.git
hooks a.git/hooks
git config branch.main.pushRemote ./a.git

#= the remote loses its address, and a directory has its name
#: run
git config --unset remote.origin.url
git init -q --bare -b main origin
hooks origin/hooks

#= there is no remote, and a directory has its name
#: before
git remote remove origin
#: run
git init -q --bare -b main origin.git
hooks origin.git/hooks

#= a remote in the old way is a path
#: before
git remote remove origin
#: run
git init -q --bare -b main a.git
hooks a.git/hooks
mkdir -p .git/remotes
printf 'URL: ./a.git\nPush: refs/heads/main\n' > .git/remotes/origin

#= the remote is a program
#: before
git config --global protocol.ext.allow always
#: run
program tool
git remote set-url origin "ext::$WORKSPACE/tool"

#= a remote in the old way under a name that was held back
#: run
mkdir -p .git/remotes
printf 'URL: http://127.0.0.1:%s/data\nPush: refs/heads/main\n' "$PORT" > .git/remotes/x.held-1
git config branch.main.remote x.held-1

#= a remote in the old way that was held back is named by a second run
#: before
git remote remove origin
#: run
mkdir -p .git/remotes .git/branches
printf 'URL: http://127.0.0.1:%s/data\nPush: refs/heads/main\n' "$PORT" > .git/remotes/x
echo "http://127.0.0.1:$PORT/data" > .git/branches/y
#: run
for name in .git/remotes/*; do git config branch.main.remote "${name##*/}"; done
for name in .git/branches/*; do git config branch.feature.remote "${name##*/}"; done

#= an address of a repository of the run that is that of the top, which is the run's too
#: before
rm -rf .git
#: run
repository .
git remote add origin "git://127.0.0.1:$PORT/data"
repository a/b
git -C a/b remote add origin "git://127.0.0.1:$PORT/data"
