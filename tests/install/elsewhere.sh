# elsewhere.sh: the build of this tree that core.sh begins, portable.sh completes
# and bytes.sh compares with another one, so that each file is compiled once.
# Sourced with SOURCE, CC and $elsewhere, the folder of that build.
unset CFLAGS CPPFLAGS LDFLAGS LRGD_LIBDIR
export CCACHE_DISABLE=1 PYTHONDONTWRITEBYTECODE=1
build=$elsewhere/build
hidden=$elsewhere/hidden

# hides what only Linux has: its headers, its macros
hide_linux() {
  mkdir -p "$hidden/sys"
  for header in sys/epoll sys/eventfd sys/signalfd sys/timerfd sys/inotify \
    sys/fanotify sys/pidfd sys/prctl sys/random sys/syscall syscall sys/vfs \
    sys/statfs sys/sendfile sys/sysinfo sys/auxv malloc error; do
    echo "#error \"<$header.h> is hidden: other systems do not have it\"" \
      >"$hidden/$header.h"
  done
}

# configures_elsewhere SOURCE BUILD [flag...]
configures_elsewhere() {
  linux="-U__linux__ -U__linux -Ulinux -U__gnu_linux__ -I$hidden"
  tree=$1
  folder=$2
  shift 2
  # frames are large where nothing is optimised
  cmake -S "$tree" -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O0 -g" \
    -DCMAKE_C_FLAGS="$linux -Wno-error=frame-larger-than=" -DLRGD_WERROR=ON \
    -DLRGD_BENCH=OFF -DLRGD_MPI=OFF -DLRGD_CUDA=OFF -DLRGD_NPM=OFF "$@"
}
