# The first process in its namespaces: everything is made read-only, and the units of this
# machine are hidden, before it becomes systemd.
set -eu
here=$1
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd/system /run/here
mount --bind "$here" /run/here
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir -p "$here"
mount --bind /run/here "$here"
umount /run/here
while read -r _ _ _ _ point _; do
    case $point in
        "$here" | /run | /tmp) ;;
        *) mount -o remount,bind,ro "$point" 2> /dev/null || true ;;
    esac
done < /proc/self/mountinfo
mount -t proc proc /proc
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
for units in /usr/lib/systemd/system{,-generators,-environment-generators} \
    /etc/systemd/system /usr/local/lib/systemd/system /lib/systemd/system; do
    if [[ -d $units ]]; then mount -t tmpfs -o ro tmpfs "$units"; fi
done
# Nothing of this machine may change, whatever comes: if it still can, this ends here.
for place in / /etc /root /usr /var /var/tmp /var/log /home /lib/systemd/system; do
    if [[ -d $place ]] && { : > "$place/.bashful-test-$$"; } 2> /dev/null; then
        rm -f "$place/.bashful-test-$$"
        echo "not safe: $place can be written" >> "$here/told"
        exit 1
    fi
done
mount -t tmpfs tmpfs /sys/fs/cgroup
while read -r kind point options; do
    if [[ $point != /sys/fs/cgroup ]]; then mkdir -p "$point"; fi
    if [[ $kind == cgroup2 ]]; then options=rw; fi
    mount -t "$kind" -o "$options" "$kind" "$point"
done < "$here/hierarchies"
cat > /run/systemd/system/only.target <<UNIT
[Unit]
DefaultDependencies=no
Wants=driver.service
UNIT
cat > /run/systemd/system/driver.service <<UNIT
[Unit]
DefaultDependencies=no
[Service]
ExecStart=/bin/bash $here/driver.sh $here
StandardOutput=append:$here/told
StandardError=append:$here/told
UNIT
cat > /run/systemd/system/starter@.service <<UNIT
[Unit]
DefaultDependencies=no
[Service]
EnvironmentFile=$here/environment
WorkingDirectory=$here/workspace
ExecStart=/bin/bash $here/starter.sh $here %i
UNIT
mkdir /run/systemd/system/starter@limited.service.d
printf '[Service]\nMemoryMax=4G\n' > /run/systemd/system/starter@limited.service.d/limit.conf
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --system --unit=only.target --log-target=null --show-status=no
