# Ordinary work: what the person goes on with must work, and nothing of it is held back,
# unless the case says that something is told.

#= commits
#: run
echo more >> file && git commit -q -a -m run && git checkout -q -b work && echo new > new &&
    git add new && git commit -q -m new
#: person
[ "$(git log --format=%s -2)" = $'new\nrun' ]
git status && git checkout main && git merge work && git push

#= a stash
#: run
echo more >> file && git stash -q && git tag run && git config user.name Worker
#: person
git stash pop && git diff --exit-code file && exit 1
git commit -q -a -m stash && git push

#= a merge, a reset and clean-up
#: run
git checkout -q -b work && git commit -q --allow-empty -m one && git checkout -q main &&
    git merge -q --no-ff -m both work && git reset -q --hard HEAD && git gc -q && git fsck
#: person
git status && git push && git branch -d work && git gc -q

#= a push and a fetch
#: run
git fetch -q; git branch -q --set-upstream-to origin/main; git branch -vv
#: person
git pull -q && git push

#= a repository in a subdirectory
#: run
repository a/b/c && cd a/b/c && git checkout -q -b work && git commit -q --allow-empty -m work
#: person
cd a/b/c && git status && git commit -q --allow-empty -m person && git log -1

#= a clone of a repository of the workspace
#: told
#: before
repository group/project
#: run
git clone -q group/project copies/project && cd copies/project &&
    git commit -q --allow-empty -m copy && git log -1
#: person
cd copies/project && git status && git commit -q --allow-empty -m person && git log -3

#= a worktree
#: run
git worktree add -q -b tree trees/one && cd trees/one && echo new > new && git add new &&
    git commit -q -m new
#: person
git worktree list && git merge tree && cd trees/one && git status &&
    git commit -q --allow-empty -m person && cd ../.. && git worktree remove trees/one

#= a worktree of the person
#: before
git worktree add -q -b tree trees/one
#: run
cd trees/one && echo new > new && git add new && git commit -q -m new
#: person
cd trees/one && git status && git log -1 && git commit -q --allow-empty -m person

#= work in a submodule
#: before
submodule library
#: run
cd library && git checkout -q -b work && echo more >> file && git commit -q -a -m work &&
    cd .. && git add library && git commit -q -m library && git submodule status
#: person
git status && git submodule update && git -C library log -1 && git push

#= a new submodule
#: told
#: before
repository group/project
#: run
git -c protocol.file.allow=always submodule --quiet add "$WORKSPACE/group/project" parts/project &&
    git commit -q -m parts
#: person
git status && git -C parts/project log -1 && git submodule status

#= a rebase that stops
#: before
diverge
#: run
git rebase other; echo both > file; git add file; git status
#: person
git status && git rebase --continue && git log -3 && [ ! -e .git/rebase-merge ]

#= a rebase of the person that goes on
#: before
diverge
git rebase other > /dev/null 2>&1 || true
#: run
echo both > file && git add file && git rebase --continue
#: person
git status && git log -1 && [ ! -e .git/rebase-merge ]

#= a cherry-pick that stops
#: before
diverge
#: run
git cherry-pick other~1 other; echo both > file; git add file
#: person
git status && git cherry-pick --continue && git log -3

#= a merge that stops
#: before
diverge
#: run
git merge other; echo both > file; git add file
#: person
git status && git commit -q -m merged && git log -3

#= a search for a bad commit
#: before
for n in 1 2 3 4; do git commit -q --allow-empty -m "number $n"; done
#: run
git bisect start HEAD HEAD~4
#: person
git bisect good && git bisect reset

#= work in a repository of the person further down
#: before
repository group/team/project/part
#: run
cd group/team/project/part && echo more >> file && git commit -q -a -m more &&
    git checkout -q -b work && git config user.name Worker
#: person
cd group/team/project/part && git status && git checkout main && git merge work
[ "$(git config user.name)" = Worker ]

#= another address at a host that the person has already
#: told
#: before
git remote add team https://example.org/team/project.git
#: run
git remote add fork https://example.org/worker/project.git && git branch work
#: person
[ "$(git remote get-url fork)" = https://example.org/worker/project.git ]
git status && git branch -vv

#= a new repository at the top
#: before
rm -rf .git
#: run
git init -q -b main . && git add . && git commit -q -m first && git checkout -q -b work
#: person
git status && git log -1 && git commit -q --allow-empty -m person && git checkout main

#= work beside a repository that consists of links of the person
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
echo new > new && git -C one/two/three/five log -1
#: person
cd one/two/three/five && git status && git commit -q --allow-empty -m person && git log -1
