# A folder with notes, as one that is no project at all.
echo notes > notes.md
mkdir -p ../elsewhere && echo theirs > ../elsewhere/file
