#!/bin/sh
# clean_root.sh OUT: a Debian system made for the purpose (debootstrap, from
# the host's own mirror), the packages of OUT installed in it by apt, and the
# first example run there; then the wheel, in another.  Needs root.
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../check.sh"
[ "$(id -u)" -eq 0 ] || { echo "clean_root.sh: needs root" >&2; exit 2; }
# no variables of ours, a locale and a /proc that every system has
in_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+"http_proxy=$http_proxy"} \
    ${https_proxy:+"https_proxy=$https_proxy"} \
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' \
    "$root" "$@"
}
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null |
  grep -v security | head -n 1)

make_root() {
  debootstrap --variant=minbase "$suite" "$base" "$mirror" &&
    rm -f "$base/etc/apt/sources.list" &&
    cp -a /etc/apt/sources.list* /etc/apt/apt.conf.d "$base/etc/apt/" &&
    cp /etc/resolv.conf /etc/hosts "$base/etc/" || return
  root=$base in_root apt-get -qq update
}
fresh() {
  rm -rf "$root"
  cp -a "$base" "$root"
  mkdir -p "$root/lrgd"
  cp "$out"/*.deb "$out"/*.whl "$here/../../examples/first.c" \
    "$here/../../examples/python/first.py" "$root/lrgd"
}
nothing_there() {
  ! in_root sh -c 'command -v lrgd || command -v python3 ||
    ls /usr/lib/*/liblapack* /usr/lib/*/libblas* 2>/dev/null'
}
install_debs() {
  in_root sh -c 'apt-get -qq install -y --no-install-recommends \
    /lrgd/liblrgd2_*.deb /lrgd/lrgd_*.deb /lrgd/python3-lrgd_*.deb'
}
install_dev() {
  in_root sh -c 'apt-get -qq install -y --no-install-recommends gcc libc6-dev \
    pkg-config /lrgd/liblrgd-dev_*.deb'
}
install_wheel() {
  in_root apt-get -qq install -y --no-install-recommends python3-venv \
    python3-numpy &&
    in_root python3 -m venv --system-site-packages /venv &&
    in_root sh -c '/venv/bin/pip install -q --no-index /lrgd/lrgd-*.whl'
}

base=$scratch/base
root=$scratch/root
try "a clean $suite is made" make_root
try "it takes the packages' files" fresh
try "nothing of ours is in it" nothing_there
try "apt installs liblrgd2, lrgd and python3-lrgd" install_debs
try "lrgd: the command minimises" in_root lrgd minimize quadratic \
  --set p=100 --set rank=3 --quiet
try "python3-lrgd: the first program runs" in_root python3 /lrgd/first.py
try "apt installs liblrgd-dev" install_dev
try "liblrgd-dev: the first program builds" in_root sh -c \
  'cc /lrgd/first.c $(pkg-config --cflags --libs lrgd) -o /first'
try "liblrgd-dev: and runs" in_root /first
try "a second clean root" fresh
try "pip installs the wheel without a network" install_wheel
try "the wheel: the first program runs" in_root /venv/bin/python /lrgd/first.py
try "the wheel: the command minimises, and keeps" in_root /venv/bin/lrgd \
  minimize quadratic --set p=100 --set rank=3 --quiet --journal /run.db
try "the wheel: it reports, from Python too" in_root sh -c \
  '/venv/bin/lrgd report /run.db -o /1.html && /venv/bin/python -c "
import lrgd; lrgd.Run(\"/run.db\").report(\"/2.html\")"'
finish
