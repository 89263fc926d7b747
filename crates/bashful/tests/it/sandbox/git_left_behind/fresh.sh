# What a second search found, made by one who knew what is looked at.

#= hooks of a worktree of a repository elsewhere, which has them in its tree
#: before
repository "$OUTSIDE/main"
git -C "$OUTSIDE/main" config core.hooksPath .husky
git -C "$OUTSIDE/main" worktree add -q -b tree "$WORKSPACE/trees/other"
#: run
hooks trees/other/.husky

#= hooks of a work tree whose repository is elsewhere
#: before
git init -q --separate-git-dir "$OUTSIDE/apart.git" one/two/three/four
git -C one/two/three/four config core.hooksPath tools/hooks
repository one/two/three/four
#: run
hooks one/two/three/four/tools/hooks

#= a file that the configuration of a repository elsewhere includes
#: before
git init -q --separate-git-dir "$OUTSIDE/apart.git" one/two/three/four
git -C one/two/three/four config include.path "$WORKSPACE/one/shared.gitconfig"
repository one/two/three/four
#: run
monitor one/shared.gitconfig

#= hooks behind a link of the person
#: before
repository one/two/three/four
mkdir one/hooks
rm -rf one/two/three/four/.git/hooks
ln -s ../../../../hooks one/two/three/four/.git/hooks
#: run
hooks one/hooks

#= configuration behind a link of the person
#: before
repository one/two/three/four
mv one/two/three/four/.git/config one/shared
ln -s ../../../../shared one/two/three/four/.git/config
#: run
monitor one/shared

#= a repository in the way of links, as git-new-workdir makes it
#: before
repository one/two/three/four
mkdir -p one/two/three/five/.git/logs
cd one/two/three/five/.git
for name in config refs logs/refs objects info hooks packed-refs; do
    ln -s "$WORKSPACE/one/two/three/four/.git/$name" "$name"
done
cp ../../four/.git/HEAD HEAD
cd ..
git reset -q --hard
#: run
hooks one/two/three/four/.git/hooks

#= an included file behind a link of the person
#: before
repository one/two/three/four
git -C one/two/three/four config include.path ../../../../included
echo > one/real
ln -s real one/included
#: run
monitor one/real

#= a submodule whose relative address leads to another host
#: before
git remote set-url origin http://127.0.0.2:9/project.git
#: run
repository a/b
list_in_index a/b
rm -rf a/b
git config -f .gitmodules submodule.new.path a/b
git config -f .gitmodules submodule.new.url "../../127.0.0.1:$PORT/data"
git add .gitmodules

#= a submodule whose relative address climbs after its beginning
#: before
git remote set-url origin http://127.0.0.2:9/group/project.git
#: run
repository a/b
list_in_index a/b
rm -rf a/b
git config -f .gitmodules submodule.new.path a/b
git config -f .gitmodules submodule.new.url "./../.././../127.0.0.1:$PORT/data"
git add .gitmodules

#= a branch that leads to a file outside
#: run
echo 'ref: refs/heads/../../../../canary' > .git/HEAD
#: person
cd "$WORKSPACE"
run commit --allow-empty -m work

#= a branch that leads to another, which leads outside
#: run
git symbolic-ref HEAD refs/heads/other
echo 'ref: refs/heads/../../../../canary' > .git/refs/heads/other
#: person
cd "$WORKSPACE"
run commit --allow-empty -m work

#= a branch of a submodule whose record is a file outside
#: before
submodule library
#: run
echo 'ref: refs/heads/../../../../../../canary' > .git/modules/library/HEAD
#: person
cd "$WORKSPACE/library"
run commit --allow-empty -m work

#= a branch that was held back is named by a second run
#: run
echo 'ref: refs/heads/../../../../canary' > .git/refs/heads/other
#: run
for name in .git/refs/heads/other*; do echo "ref: refs/heads/${name##*/}" > .git/HEAD; done
#: person
cd "$WORKSPACE"
run commit --allow-empty -m work
