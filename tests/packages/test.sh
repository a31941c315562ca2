#!/bin/sh
# test.sh OUT: puts each package of OUT into an empty root of its own and runs
# the first example from there.  The roots know nothing of this tree; what the
# packages depend on is the host's, and that they say so is checked too.
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../check.sh"
unset PYTHONPATH LD_LIBRARY_PATH LRGD_LIBDIR LRGD_BUILD
root=$scratch/root
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null)

# only the packages' own files, of the environment nothing but these
inside() {
  (cd "$scratch" && env -i PATH=/usr/bin:/bin HOME="$scratch" \
    LD_LIBRARY_PATH="$root/usr/lib/$triplet" \
    PYTHONPATH="$root/usr/lib/python3/dist-packages" \
    PYTHONDONTWRITEBYTECODE=1 "$@")
}
lint() {
  lintian --fail-on error --tag-display-limit 0 "$out"/lrgd_*.changes 2>&1 |
    tee "$scratch/lint"
  ! grep -q '^E:' "$scratch/lint"
}
# unpacks with dpkg itself, into a root that has a dpkg of its own
unpack() {
  mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
  : >"$root/var/lib/dpkg/status"
  dpkg --root="$root" --force-not-root --force-script-chrootless \
    --force-depends --unpack "$out"/liblrgd2_*.deb "$out"/liblrgd-dev_*.deb \
    "$out"/lrgd_*.deb "$out"/python3-lrgd_*.deb
}
# apt would refuse packages whose dependencies Debian does not have
installable() {
  apt-get --simulate -qq -o Debug::NoLocking=1 install "$out"/liblrgd2_*.deb \
    "$out"/liblrgd-dev_*.deb "$out"/lrgd_*.deb "$out"/python3-lrgd_*.deb
}
# every library that a file needs is one of ours or named in Depends: by its
# own name, as Debian has it, or by that of the package it is in
depends_cover() { # PACKAGE FILE...
  package=$1
  shift
  depends=$(dpkg-deb -f "$out/$package"_*.deb Depends)
  for library in $(readelf -d "$@" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' |
    sort -u); do
    case $library in liblrgd* | libm.so.6 | ld-linux*) continue ;; esac
    name=$(echo "$library" | sed -E 's/\.so\.([0-9]+)$/(-|.so.)?\1/')
    owner=$(dpkg-query -S "*/$library" 2>/dev/null | sed -n '1s/[:,].*//p')
    echo "$depends" | grep -Eq "$name|${owner:-$name}" ||
      { echo "$package needs $library, and depends on $depends"; return 1; }
  done
}
command_runs() {
  inside "$root/usr/bin/lrgd" minimize quadratic --set p=100 --set rank=3 \
    --quiet --json | grep -q '"outcome": *"converged"'
}
# a BLAS is loaded, not linked: no dependency comes of itself
command_recommends() {
  dpkg-deb -f "$out"/lrgd_*.deb Recommends | grep -q libopenblas0-pthread
}
# COMMAND...: a small network learns
learns() {
  "$@" reproduce mnist --data tiny --epochs 1 --set n=5 --quiet --json |
    grep '"blas_kernels"'
}
c_program() {
  cc "$here/../../examples/first.c" -I"$root/usr/include" \
    -L"$root/usr/lib/$triplet" -llrgd -o "$scratch/first" \
    -Wl,--allow-shlib-undefined && inside "$scratch/first" | grep 'f = '
}
python_program() {
  inside /usr/bin/python3 "$here/../../examples/python/first.py" >"$scratch/f" ||
    return
  grep 'f = ' "$scratch/f"
}
python_uses_them() {
  inside /usr/bin/python3 -c '
import lrgd
print(lrgd._library.core._name, lrgd._library.command())
assert lrgd._library.core._name.startswith("'"$root"'")
assert lrgd._library.command().startswith("'"$root"'")'
}
wheel_installs() {
  /usr/bin/python3 -m venv --system-site-packages "$scratch/venv" &&
    "$scratch/venv/bin/pip" install -q --no-index --no-deps \
      --disable-pip-version-check "$out"/lrgd-*.whl
}
wheel_runs() {
  (cd "$scratch" && env -i PATH=/usr/bin:/bin HOME="$scratch" \
    "$scratch/venv/bin/python" "$here/../../examples/python/first.py" |
    grep 'f = ')
}
wheel_has_the_command() {
  (cd "$scratch" && env -i PATH="$scratch/venv/bin" lrgd minimize quadratic \
    --set p=100 --set rank=3 --quiet --journal run.db --json |
    grep '"outcome": *"converged"' &&
    env -i "$scratch/venv/bin/python" -c '
import lrgd, os
lrgd.Run("run.db").report("run.html")
assert os.path.getsize("run.html") > 10000
assert lrgd._library.command().startswith("'"$scratch"'/venv")')
}
wheel_command() {
  (cd "$scratch" && env -i PATH="$scratch/venv/bin" lrgd "$@")
}
# as on a system without BLAS, LAPACK and SQLite: nothing of the host's but
# what every Linux has
wheel_carries_all() {
  lib=$(echo "$scratch"/venv/lib/python3*/site-packages/lrgd/_lib)
  for file in "$lib"/*.so* "$lib"/lrgd; do
    readelf -d "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'
  done | sort -u | while read -r needed; do
    case $needed in
      libc.so.6 | libm.so.6 | libgcc_s.so.1 | libpthread.so.0 | libdl.so.2 | \
        librt.so.1 | ld-linux*) ;;
      *) [ -e "$lib/$needed" ] || { echo "no $needed"; exit 1; } ;;
    esac
  done
}

try "lintian finds no error" lint
try "the packages unpack into an empty root" unpack
try "apt could install them" installable
try "liblrgd2 depends on what it needs" depends_cover liblrgd2 \
  "$root/usr/lib/$triplet"/liblrgd*.so.2
try "lrgd depends on what it needs" depends_cover lrgd "$root/usr/bin/lrgd"
try "lrgd: the command minimises" command_runs
try "lrgd recommends a BLAS for its networks" command_recommends
try "lrgd: a network learns" learns inside "$root/usr/bin/lrgd"
try "liblrgd-dev: the first C program builds and runs" c_program
try "python3-lrgd: the first Python program runs" python_program
try "python3-lrgd: it found the packages' library and command" python_uses_them
try "the wheel installs without a network" wheel_installs
try "the wheel: the first Python program runs" wheel_runs
try "the wheel: the command minimises and reports" wheel_has_the_command
try "the wheel: a network learns, with the system's BLAS" learns \
  wheel_command
try "the wheel carries all that not every Linux has" wheel_carries_all
finish
