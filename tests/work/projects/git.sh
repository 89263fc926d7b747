# A repository with some history, branches, a remote beside it, and another one to include.
git init -q -b main
for number in 1 2 3 4 5; do
  echo "line $number" >> file
  git add file && git commit -qm "Line $number"
done
git tag v1
git checkout -q -b topic
echo topic > topic && git add topic && git commit -qm 'A topic'
git checkout -q -b conflict main
sed -i 's/line 5/another line/' file && git commit -qam 'Another line'
git checkout -q main
echo main > other && git add other && git commit -qm 'Another file'
git branch stale
printf '#!/bin/sh\necho checked >> .checked\n' > .git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
printf '.checked\n' > .git/info/exclude
git init -q --bare -b main ../remote.git
git remote add origin "$PWD/../remote.git"
git push -q -u origin main
git init -q -b main ../library
(cd ../library && echo lib > lib && git add lib && git commit -qm 'A library')
echo changed >> file
echo fresh > untracked
