# A service that starts a task and goes on: starter.sh DIRECTORY NAME.
begun=$(date +%s%N)
"$BASHFUL" run --policy none --background --name "$2" 'echo begun; sleep 1001' > "$1/started-$2" 2>&1
echo "$2: started in $((($(date +%s%N) - begun) / 1000000)) ms" >> "$1/took"
exec sleep 1002
