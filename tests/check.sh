# check.sh: check.h for the shell.  Sourced by a test script:
#
#   . "$(dirname "$0")/../check.sh"
#   try "an unknown option is a usage error" fails_with 2 "$lrgd" --what
#   finish
#
# try runs a command (or function) and shows its output only when it fails;
# finish prints "N passed, N failed" and exits.  $scratch is a folder that is
# removed at the end.

passed=0
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

try() {
  sentence=$1
  shift
  if ("$@") >"$scratch/.output" 2>&1; then
    passed=$((passed + 1))
    printf '%s: ok\n' "$sentence"
  else
    failed=$((failed + 1))
    printf '%s\n' "$sentence"
    sed 's/^/  /' "$scratch/.output"
    printf '  FAILED: %s\n' "$*"
  fi
}

# fails_with STATUS COMMAND...: the command ends with exactly that status.
fails_with() {
  wanted=$1
  shift
  status=0
  "$@" || status=$?
  echo "exit status $status, wanted $wanted"
  [ "$status" -eq "$wanted" ]
}

# is TEXT COMMAND...: the command succeeds and prints exactly that.
is() {
  wanted=$1
  shift
  got=$("$@") || return
  printf 'got:    %s\nwanted: %s\n' "$got" "$wanted"
  [ "$got" = "$wanted" ]
}

finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit
}
