# A repository whose files are edited, read in pagers, signed and watched.
git init -q -b main
seq 200 > numbers
echo 'hello wrold' > text
git add . && git commit -qm 'Numbers'
