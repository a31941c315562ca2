# setup.sh SOURCE: what is said where a package is missing, and that nothing but
# `make setup`, `make demo` and `make test` would install one.
source=$1
. "$source/tests/check.sh"

# a Debian that lacks what $LACKS says, and takes note of what is installed
mkdir "$scratch/bin"
cat >"$scratch/bin/dpkg-query" <<'END'
#!/bin/sh
shift 3
for package; do
  case " $LACKS " in *" $package "*) ;; *) echo "installed $package" ;; esac
done
END
printf '#!/bin/sh\necho "$@" >>"%s/installed"\n' "$scratch" \
  >"$scratch/bin/apt-get"
printf '#!/bin/sh\necho CMake Error; exit 1\n' >"$scratch/bin/cmake"
chmod +x "$scratch"/bin/*
PATH=$scratch/bin:$PATH

says() { # SENTENCE COMMAND...
  sentence=$1
  shift
  "$@" >"$scratch/said" 2>&1
  echo "exit status $?"
  cat "$scratch/said"
  [ "$(cat "$scratch/said")" = "$sentence" ] && [ ! -e "$scratch/installed" ]
}
configure="$source/tools/configure"
setup="$source/tools/setup"
one_is_missing() {
  export LACKS=libsqlite3-dev
  says 'lrgd needs packages that are missing (libsqlite3-dev): type `make setup`.' \
    "$configure" release
  fails_with 2 "$configure" release
}
a_part_is_missing() {
  export LACKS="clang llvm"
  says 'lrgd needs packages that are missing (clang llvm): type `make setup FOR=clang`.' \
    "$setup" --check packages packages-clang
}
none_is_missing() {
  export LACKS=
  says "CMake Error" "$configure" release
}
setup_installs() {
  export LACKS=libsqlite3-dev
  [ "$(id -u)" -ne 0 ] || { "$setup" && grep -q libsqlite3-dev \
    "$scratch/installed"; }
}
# which verbs would call tools/setup to install
verbs_that_install() {
  for verb in $(sed -nE 's/^([a-z-]+):.*/\1/p' "$source/Makefile"); do
    ! make -n -C "$source" "$verb" 2>/dev/null | grep 'tools/setup' |
      grep -qv -e --check || echo "$verb"
  done | sort | paste -sd' '
}

try "a package that is missing is named in a sentence" one_is_missing
try "so is the part that asks for it" a_part_is_missing
try "where none is missing, CMake is heard" none_is_missing
try "make setup installs it" setup_installs
try "setup, demo and test install packages, and no other verb" \
  is "demo setup test" verbs_that_install
finish
