# Ordinary commands of git, as words of a shell: each is traced for itself.

status
diff
log -3 --stat
describe --always --dirty
branch -vv
worktree list
stash list
blame file
grep -q text
add -A
commit -m work
stash
stash pop
checkout -b feature
commit --allow-empty -m feature
switch main
merge --no-ff feature
rebase HEAD~1
cherry-pick feature
tag one
fetch
fetch nowhere
pull
push
push origin HEAD
gc
fsck
submodule status
submodule update --init
-C library status
-C library commit --allow-empty -m library
-C trees/one status
-C trees/one commit --allow-empty -m one
bisect start
bisect reset
rebase other
rebase --continue
rebase --abort
cherry-pick other~1 other
cherry-pick --continue
cherry-pick --abort
format-patch -1
am 0001-other.patch
am --abort
maintenance run
