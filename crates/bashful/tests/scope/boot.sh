# Boots a systemd that sees nothing of this machine but its programs: boot.sh DIRECTORY.
# It begins in control groups of its own, in which it may do as it likes.
set -eu
here=$1
groups=()
leave() {
    for group in "${groups[@]}"; do
        echo $$ > "${group%/*}/cgroup.procs"
        find "$group" -depth -type d -exec rmdir {} +
    done
}
trap leave EXIT
while read -r _ _ _ root point _ rest; do
    kind=${rest##*- }
    kind=${kind%% *}
    options=${rest##* }
    own=
    while IFS=: read -r _ names path; do
        case $kind in
            cgroup2) [[ $names ]] || own=$path ;;
            cgroup) [[ ,$options, == *",$names,"* && $names ]] && own=$path ;;
        esac
    done < /proc/self/cgroup
    [[ $own ]] || continue
    below=${own#"${root%/}"}
    group=$point${below%/}/bashful-test-$$
    mkdir "$group"
    groups+=("$group")
    if [[ $kind == cgroup && -e $group/cpuset.cpus ]]; then
        cat "${group%/*}/cpuset.cpus" > "$group/cpuset.cpus"
        cat "${group%/*}/cpuset.mems" > "$group/cpuset.mems"
    fi
    echo $$ > "$group/cgroup.procs"
    echo "$kind $point ${options#rw,}"
done < /proc/self/mountinfo > "$here/hierarchies"
# When the driver has told everything its first process is killed; all others go with it.
unshare --mount --cgroup --pid --ipc --uts --net --fork --kill-child \
    bash "$here/inside.sh" "$here" < /dev/null &
first=$!
for _ in {1..900}; do
    grep -qx done "$here/told" 2> /dev/null && break
    kill -0 $first 2> /dev/null || break
    sleep 0.1
done
kill -KILL $first 2> /dev/null || true
wait $first 2> /dev/null || true
for _ in {1..100}; do
    cat "${groups[@]/%//cgroup.procs}" | grep -qvx $$ || break
    sleep 0.1
done
