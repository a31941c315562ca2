"""compare.py [--all] BUILD [OTHER_BUILD...]: the same runs, bit for bit.

Makes the runs of runs.py with a build as it is, and again under other kernels
of OpenBLAS, Debian's reference BLAS, other numbers of threads, a libm without
fused operations, loops of the least width, and with other builds: of another
compiler, with sanitizers.  Prints a table; every difference is a fault of the
code.  --all: one variation by one, where else the first build has them
together.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import time

import runs

# what glibc takes from the processor to choose its libm; see ld.so(8)
NO_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX512F"}
LIBM = ("import math; print(hash(tuple(f(i * 0.61803398874989 % 7 - 3)"
        " for i in range(9999) for f in (math.exp, math.sin))))")


def kernels(name, threads=1):
    return {"OPENBLAS_CORETYPE": name, "OPENBLAS_NUM_THREADS": str(threads)}


def reference():
    """Debian's reference BLAS and LAPACK in place of the system's, which NumPy
    loads; nothing where they are not installed."""
    folders = [os.path.dirname(library) for library in
               glob.glob("/usr/lib/*/blas/libblas.so.3") +
               glob.glob("/usr/lib/*/lapack/liblapack.so.3")]
    return {"LD_LIBRARY_PATH": ":".join(folders)} if folders else {}


def loaded(env):
    """The BLAS that NumPy gets."""
    maps = ("import numpy.linalg; print(*{line.split()[-1] for line in "
            "open('/proc/self/maps') if 'blas' in line})")
    return subprocess.run([runs.PYTHON, "-c", maps], text=True, check=True,
                          env={**os.environ, **env}, capture_output=True).stdout


def comma(build):
    """A locale with a decimal comma, where the tests of numbers made one."""
    locales = os.path.join(os.path.abspath(build), "tests", "unit", "locales")
    if not os.path.isdir(os.path.join(locales, "de_DE.UTF-8")):
        return {}
    return {"LOCPATH": locales, "LC_ALL": "de_DE.UTF-8"}


def variations(build, every):
    """(name, environment) of what the first build is tried under."""
    env = reference()
    if env and "/blas/libblas" not in loaded(env):
        sys.exit("NumPy does not load the reference BLAS")
    other = [("reference BLAS", env)] if env else []
    if not every:
        return other + [("old kernels, 4 threads, no FMA", {
            **kernels("Prescott", 4), **NO_FMA, **comma(build)})]
    return other + [(name, kernels(name)) for name in
                    ("Prescott", "Haswell", "SkylakeX")] + [
        ("1 thread", {"OPENBLAS_NUM_THREADS": "1"}),
        ("4 threads", {"OPENBLAS_NUM_THREADS": "4"}),
        ("no FMA in libm", NO_FMA),
        ("a decimal comma", comma(build))]


def plan(builds, every):
    """(name, command, build for Python or None, environment)"""
    first, *others = builds
    lrgd = os.path.join(first, "lrgd")
    yield from ((name, lrgd, first, env)
                for name, env in variations(first, every))
    narrow = os.path.join(first, "tests", "lrgd-narrow")
    if os.path.exists(narrow):
        yield "narrow loops", narrow, None, {}
    for other in others:
        sanitized = is_sanitized(other)
        yield (os.path.basename(other), os.path.join(other, "lrgd"),
               None if sanitized else other,
               # those of Cairo's fonts
               {"ASAN_OPTIONS": "detect_leaks=0"} if sanitized else {})


def is_sanitized(build):
    """Such libraries do not load into a plain Python."""
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        return any(line.startswith("LRGD_SANITIZE:") and
                   not line.endswith("=\n") for line in cache)


def leaves(what, path=""):
    if isinstance(what, (dict, list)):
        items = what.items() if isinstance(what, dict) else enumerate(what)
        for key, value in items:
            yield from leaves(value, f"{path}.{key}")
    else:
        yield path, what


def differences(wanted, found):
    """The first few, as text."""
    a, b = (dict(leaves(json.loads(text))) for text in (wanted, found))
    odd = [key for key in {**a, **b} if a.get(key) != b.get(key)]
    told = [f"{key[1:]}: {a.get(key)!r}, {b.get(key)!r}" for key in odd[:4]]
    return "\n    ".join([f"{len(odd)} numbers differ", *told])


def compare(wanted, found):
    """How many of the runs found differ."""
    bad = 0
    for name in found:
        if found[name] != wanted[name]:
            bad += 1
            print(f"  {name}\n    {differences(wanted[name], found[name])}")
    return bad


def libm(env):
    return subprocess.run([runs.PYTHON, "-c", LIBM], text=True, check=True,
                          env={**os.environ, **env},
                          capture_output=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("builds", nargs="+")
    given = parser.parse_args()
    # what is named is what is loaded
    builds = [os.path.abspath(build) for build in given.builds]
    wanted = runs.take(os.path.join(builds[0], "lrgd"), builds[0])
    print(f"{len(wanted)} runs of {given.builds[0]}; without FMA libm",
          "is the same here" if libm({}) == libm(NO_FMA) else "is another")
    bad = 0
    for name, lrgd, build, env in plan(builds, given.all):
        begin = time.monotonic()
        found = runs.take(lrgd, build, env)
        wrong = compare(wanted, found)
        bad += wrong
        print(f"{name:32} {len(found):3} runs, {wrong} differ, "
              f"{time.monotonic() - begin:.1f} s")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
