# symbols.sh NAME libNAME.so libNAME.a: what a library of ours offers and asks.
name=$1
shared=$2
static=$3
. "$(dirname "$0")/../check.sh"

# only PATTERN: every line of the input matches, and there is one.
only() {
  sort -u >"$scratch/names"
  [ -s "$scratch/names" ] && ! grep -Ev "$1" "$scratch/names"
}
# none PATTERN: no line matches, and there is a line.
none() {
  sort -u >"$scratch/names"
  [ -s "$scratch/names" ] && ! grep -E "$1" "$scratch/names"
}
exported() {
  nm -D --defined-only "$shared" | awk '{ print $NF }' | only '^lrgd_'
}
prefixed() {
  nm -g --defined-only "$static" | awk 'NF == 3 { print $NF }' |
    only '^(lrgd|lr)_'
}
# of both: the linker has dropped from the shared one what nobody calls
asks_for_none() {
  for library in "-D $shared" "$static"; do
    # shellcheck disable=SC2086
    nm --undefined-only $library | awk 'NF == 2 { sub(/@.*/, "", $2)
      print $2 }' | none "^($1)\$" || return
  done
}
# data that can be written and outlives a call is global state (.data.rel.ro
# is constant: tables of pointers)
no_globals() {
  ! objdump -t "$static" | grep -E \
    ' O (\.data|\.bss|\.tdata|\.tbss|\.data\.rel(\.local)?|\*COM\*)[[:space:]]'
}
soname_is() {
  is "$1" sh -c "readelf -d '$shared' | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'"
}

try "the shared library is lib$name.so.2" soname_is "lib$name.so.2"
try "every exported symbol begins with lrgd_" exported
try "every symbol that crosses files begins with lrgd_ or lr_" prefixed
try "the library never ends the program" asks_for_none \
  '_?_?exit|_Exit|quick_exit|abort|__assert_fail|raise|longjmp|__longjmp_chk'
try "the library never prints" asks_for_none \
  '(__)?v?f?printf(_chk)?|perror|psignal|f?puts|f?putc(_unlocked)?|putchar|stdout|stderr|v?syslog'
try "the library leaves the locale and the environment alone" asks_for_none \
  'setenv|putenv|unsetenv|setlocale|chdir|fchdir|umask'
# (fesetenv it may: it puts back what a callback changed)
try "the library does not change how floating point works" asks_for_none \
  'fe(setround|setexceptflag|updateenv|enableexcept|disableexcept)'
try "the library does not touch signals of the program" asks_for_none \
  'signal|sigaction|alarm|setitimer'
# the core is all computation; lrgd_run has processes and files to deal with
if [ "$name" = lrgd ]; then
  try "the core keeps no global state" no_globals
  try "the core does not read the environment" asks_for_none '(secure_)?getenv'
  try "the core knows no files, processes and signal masks" asks_for_none \
    'f?open|write|fwrite|v?dprintf|fork|execv?e?|posix_spawnp?|kill|sigprocmask|pthread_sigmask'
  try "the core does not seed itself" asks_for_none \
    's?rand|s?random|rand_r|drand48|srand48|arc4random.*|getrandom|getentropy'
fi
finish
