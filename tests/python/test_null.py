"""Every exported function, without what it needs: it says so, or does nothing,
and does not take the process down.  The list is that of the headers."""
import ctypes
import itertools
import os
import re
import signal
import unittest

from common import HERE, main

INCLUDE = os.path.join(HERE, "..", "..", "include", "lrgd")
LIBDIR = os.environ["LRGD_LIBDIR"]
HEADERS = {"liblrgd.so": ("lrgd.h", "space.h", "analysis.h"),
           "liblrgd_run.so": ("run.h",)}
SCALARS = {"size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64,
           "int": ctypes.c_int, "double": ctypes.c_double}
# what lies under a call: a trap that is not ours
KILLERS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE,
           signal.SIGILL)


class Pair(ctypes.Structure):
    """A struct of a pointer and a size, by value."""
    _fields_ = [("pointer", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Large(ctypes.Structure):
    """Room for any struct that is returned in memory."""
    _fields_ = [("bytes", ctypes.c_ubyte * 4096)]


def kind_of(text):
    """The ctypes kind of a declared argument or result."""
    text = re.sub(r"\b(const|LRGD_MUST_CHECK|struct)\b", "", text)
    text = text.strip()
    if "*" in text or "[" in text or re.search(r"_(fn|map)\b", text):
        return ctypes.c_void_p
    word = text.split()[0] if text else "void"
    if word in ("lrgd_part", "lrgd_vec"):
        return Pair
    if word in ("lrgd_theorem_bound", "lrgd_departure", "lrgd_decision"):
        return Large
    if word == "void":
        return None
    return SCALARS.get(word, ctypes.c_int)  # the rest are enumerations


def functions(library, header):
    """Of a header: name, function, kinds of its arguments."""
    with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    for result, name, inside in re.findall(
            r"LRGD_API([^;{]+?)\b(lrgd_\w+)\s*\(([^;{]*?)\)", text):
        function = getattr(library, name)
        arguments = [] if inside.strip() == "void" else inside.split(",")
        function.argtypes = [kind_of(each) for each in arguments]
        function.restype = kind_of(result)
        yield name, function


def calls(function):
    """Zero for everything; then 1, and a size that is wrong, for numbers."""
    for number in (0, 1, 3):
        yield [kind() if kind in (Pair, ctypes.c_void_p) else kind(number)
               for kind in function.argtypes]
    scalars = [kind for kind in function.argtypes
               if kind not in (Pair, ctypes.c_void_p)]
    if len(scalars) > 1:
        for some in itertools.product((0, 2), repeat=len(scalars)):
            numbers = iter(some)
            yield [kind() if kind in (Pair, ctypes.c_void_p)
                   else kind(next(numbers)) for kind in function.argtypes]


def dies(function, arguments):
    """How a process ends that calls it: 0, or minus the signal."""
    child = os.fork()
    if child == 0:
        for number in KILLERS:
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        found = function(*arguments)
        # not the address of a member of nothing
        odd = function.restype is ctypes.c_void_p and found is not None
        os._exit(1 if odd and found < 1 << 16 else 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Nothing(unittest.TestCase):
    def test_no_function_dies_of_null(self):
        count = 0
        for name, headers in HEADERS.items():
            library = ctypes.CDLL(os.path.join(LIBDIR, name))
            for header in headers:
                for called, function in functions(library, header):
                    count += 1
                    for arguments in calls(function):
                        with self.subTest(called):
                            self.assertEqual(dies(function, arguments), 0,
                                             arguments)
        self.assertGreater(count, 100)


if __name__ == "__main__":
    main()
