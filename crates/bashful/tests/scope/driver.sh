# Tells what becomes of tasks when their starters are stopped: driver.sh DIRECTORY.
here=$1
set -a
. "$here/environment"
set +a
cd "$here/workspace" || exit 1
# Whose control groups of systemd these are: the units of all processes with this command line.
units_of() {
    local process
    for process in /proc/[0-9]*; do
        tr '\0' ' ' < "$process/cmdline" | grep -qx "$1 *" || continue
        grep -E '^[0-9]+:(name=systemd)?:' "$process/cgroup" | tail -n 1 | cut -d: -f3-
    done 2> /dev/null | grep -oE '[a-z@-]+[^/]*\.(service|scope)' | sed 's/keeper-[0-9-]*/keeper-N/' | sort -u | xargs
}
# A manager that has just begun may not listen yet.
for _ in {1..100}; do
    systemctl show --property=Version > /dev/null && break
    sleep 0.1
done
"$BASHFUL" doctor --json > "$here/doctor"
for name in free limited; do
    systemctl start "starter@$name"
    for _ in {1..300}; do
        [[ $("$BASHFUL" logs "$name" 2> /dev/null) == begun ]] && break
        sleep 0.1
    done
    echo "$name keeper: $(units_of bashful-keeper)"
    echo "$name run: $(units_of 'sleep 1001')"
    systemctl stop "starter@$name"
    for _ in {1..100}; do
        [[ $(units_of 'sleep 1002') ]] || break
        sleep 0.1
    done
    echo "$name after: $(units_of 'sleep 1001')"
    "$BASHFUL" tasks show --json "$name" > "$here/after-$name"
    systemctl stop 'bashful-keeper-*.scope'
    echo "$name end: $(units_of 'sleep 1001')"
    "$BASHFUL" tasks show --json "$name" > "$here/end-$name"
done
echo done
