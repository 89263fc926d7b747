# What the acts of the escape suite that are written for bash have at hand.
reached() { echo "reached: $*"; exit 0; }
blocked() { echo "blocked: $*"; exit 3; }
# Starts what is given; that it ran is told by what it prints.
runs() { local out; out=$("$@" 2>&1); [[ $out == *"$PROOF"* ]] && reached "$1"; last=$out; }
