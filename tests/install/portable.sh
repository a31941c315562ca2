# portable.sh SOURCE CC VERSION ELSEWHERE: builds the tree where all that only
# Linux has is hidden (its headers, its macros, /proc by name), as on macOS and
# the BSDs, and tries what was built.  core.sh has built the core there.
source=$1
CC=$2
elsewhere=$4
. "$source/tests/check.sh"
. "$source/tests/install/elsewhere.sh"
lrgd=$build/lrgd

configures() {
  hide_linux
  configures_elsewhere "$source" "$build" -DLRGD_RUN=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=OFF
}
core='unit/(basis|dense|elementary|memory|number|options|random|steps|vector)$'
core="$core|conformance/(auto|spaces)\$|certificate/stops\$"
run='run/(codec|inside|reading|text)$'
builds() {
  targets=$(ctest --test-dir "$build" -N -R "$core|$run" |
    sed -nE 's|.*: ([a-z]+)/([a-z]+)$|test-\1-\2|p')
  # shellcheck disable=SC2086
  cmake --build "$build" --target lrgd lrgd_run lrgd_run_static lrgd_cli \
    run-sim run-driver run-look run-big $targets
}
asks_for_none() {
  for file in "$build"/lrgd "$build"/liblrgd.so "$build"/liblrgd_run.so; do
    nm -D --undefined-only "$file" | sed 's/@.*//' >"$scratch/names"
    [ -s "$scratch/names" ] || return
    ! grep -E ' (epoll_.*|pidfd_.*|signalfd|eventfd.*|timerfd_.*|inotify_.*)$' \
      "$scratch/names" || return
    ! grep -E ' (prctl|syscall|pipe2|accept4|f?statfs(64)?|getrandom)$' \
      "$scratch/names" || return
    ! grep -E ' (memrchr|sigabbrev_np|.*closefrom_np|gettid|memfd_.*)$' \
      "$scratch/names" || return
    ! grep -aF /proc/ "$file" || return
  done
}
passes() {
  ctest --test-dir "$build" --output-on-failure --no-tests=error -R "$1"
}
pool() {
  RUN_TESTS=$build/tests /usr/bin/python3 "$source/tests/run/test_pool.py" "$@"
}
finds_its_data() {
  (cd / && "$lrgd" reproduce half >"$scratch/table") || return
  (PATH=$build:$PATH && cd / && lrgd reproduce half) >"$scratch/named" || return
  cat "$scratch/table"
  grep -q paper "$scratch/table" && cmp "$scratch/table" "$scratch/named"
}
minimize() { # JOURNAL MODE: from a worker of our own
  exec "$lrgd" minimize --worker "$build/tests/run-sim $2" --dim 20 \
    --journal "$1" --quiet
}
journals() {
  (minimize "$scratch/run.db" ok) && "$lrgd" status "$scratch/run.db" &&
    "$lrgd" resume "$scratch/run.db" --worker "$build/tests/run-sim ok" --quiet
}
in_shell() { ("$@"); }
one_writer() {
  minimize "$scratch/held.db" "slow 200" &
  first=$!
  i=0
  until [ -s "$scratch/held.db.lock" ] || [ $((i += 1)) -gt 100 ]; do
    sleep 0.1
  done
  "$lrgd" status "$scratch/held.db" | tee "$scratch/status"
  fails_with "$1" in_shell minimize "$scratch/held.db" ok 2>"$scratch/refused"
  refused=$?
  cat "$scratch/refused"
  kill -TERM "$first"
  wait "$first"
  grep -q "running, by process $first" "$scratch/status" &&
    grep -q "in use by process $first" "$scratch/refused" &&
    [ $refused -eq 0 ] &&
    [ ! -e "$scratch/held.db.lock" ]
}

try "a tree without Linux configures" configures
try "libraries and command build there without a warning" builds
try "they ask for no function that only Linux has, and for no /proc" \
  asks_for_none
try "the tests of the core pass there" passes "$core"
try "the tests of programs and journals pass there" passes "$run"
try "a pool of processes answers, and tells failures apart" pool Answers \
  Failures
try "the command finds its data, by its path and in PATH" finds_its_data
try "a run is journalled, and resumed" journals
try "a journal has one writer, and says who" one_writer 8
finish
