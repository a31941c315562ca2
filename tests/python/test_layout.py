"""The mirror of the C headers, compared with them by the C compiler."""
import ctypes
import os
import subprocess

from common import HERE, Case, main
from lrgd import _abi, _options

INCLUDE = os.path.join(HERE, "..", "..", "include")


def assertions(structure):
    """Static assertions on every field of a structure."""
    name = structure.c_name
    yield (f"_Static_assert(sizeof({name}) == {ctypes.sizeof(structure)}, "
           f'"size of {name}");')
    for field, _ in structure._fields_:
        at = getattr(structure, field)
        yield (f"_Static_assert(offsetof({name}, {field}) == {at.offset} && "
               f"sizeof((({name} *)0)->{field}) == {at.size}, "
               f'"{name}.{field}");')


class Layout(Case):
    def compiles(self, lines):
        source = self.write("layout.c", "\n".join([
            "#include <lrgd/analysis.h>", "#include <lrgd/run.h>", *lines]))
        run = subprocess.run(
            [os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", "-I",
             INCLUDE, source], capture_output=True, text=True)
        return run.returncode == 0, run.stderr

    def test_every_field_lies_where_the_compiler_puts_it(self):
        good, said = self.compiles(
            line for one in _abi.STRUCTURES for line in assertions(one))
        self.assertTrue(good, said)

    def test_a_field_elsewhere_would_be_noticed(self):
        class Wrong(ctypes.Structure):
            c_name = "lrgd_phase"
            _fields_ = [("iteration", ctypes.c_uint32),
                        ("evaluations", ctypes.c_uint32)]
        good, _ = self.compiles(assertions(Wrong))
        self.assertFalse(good)

    def test_the_numbers_of_kinds_are_those_of_the_header(self):
        good, said = self.compiles([
            f'_Static_assert(LRGD_KIND_COUNT == {_abi.KINDS}, "kinds");',
            f'_Static_assert(LRGD_PURPOSE_COUNT == {_abi.PURPOSES}, "purposes");',
            f"_Static_assert(LRGD_PREDICTED_COUNT == {_abi.PREDICTIONS}, "
            '"predictions");'])
        self.assertTrue(good, said)

    def test_every_option_of_the_library_is_a_keyword(self):
        import inspect

        import lrgd
        words = inspect.signature(lrgd.minimize).parameters
        self.assertGreater(len(_options.TABLE), 20)
        for name, row in _options.TABLE.items():
            self.assertIn(name, words)
            self.assertIn(f"{name} : ", lrgd.minimize.__doc__)
            made = _options.make({name: row.default})
            self.assertEqual(_options.texts(made)[name], row.default)


if __name__ == "__main__":
    main()
