#!/bin/sh
# Replaces a container engine: runs the image's start script in separate namespaces, on a read-only root, as another
# user. Takes the folder with the image's own files, Coffer's node_modules, a folder for /data, and options.
set -eu
root=$1 modules=$2 data=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
for each in usr lib lib64 bin etc; do
  [ -e "/$each" ] || continue
  if [ -L "/$each" ]; then cp -P "/$each" "$root/$each"; continue; fi
  mkdir -p "$root/$each"
  mount --rbind "/$each" "$root/$each"
  mount -o remount,bind,ro "$root/$each"
done
mount --bind "$root/image/usr/local" "$root/usr/local"
own=$root/usr/local/lib/node_modules/coffer/node_modules
mount --bind "$modules" "$own"
mount -o remount,bind,ro "$root/usr/local"
mount -o remount,bind,ro "$own"
mkdir -p "$root/data" "$root/tmp" "$root/proc" "$root/dev" "$root/run"
mount --rbind /dev "$root/dev"
mount --bind "$root/image/run" "$root/run"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
mount -o remount,bind,ro "$root"
ip link set lo up
# Container engines let every user open every port of the container.
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
exec chroot --userspec=1000:1000 "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/node \
  COFFER_DATA_DIR=/data COFFER_PUBLISHED_PORT=5000 COFFER_PASSPHRASE_FILE=/run/secrets/coffer_passphrase \
  setpriv --no-new-privs sh -c 'cd / && exec coffer-start "$@"' coffer-start "$@"
