"""The mirror of the C headers, compared with them by the C compiler."""
import ctypes
import glob
import os
import re
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
            "#include <lrgd/analysis.h>", "#include <lrgd/run.h>",
            "#include <lrgd/space.h>", *lines]))
        run = subprocess.run(
            [os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", "-I",
             INCLUDE, source], capture_output=True, text=True)
        return run.returncode == 0, run.stderr

    def test_every_field_lies_where_the_compiler_puts_it(self):
        good, said = self.compiles(
            line for one in _abi.STRUCTURES for line in assertions(one))
        self.assertTrue(good, said)

    def test_a_field_at_another_offset_is_detected(self):
        class Wrong(ctypes.Structure):
            c_name = "lrgd_phase"
            _fields_ = [("iteration", ctypes.c_uint32),
                        ("evaluations", ctypes.c_uint32)]
        good, _ = self.compiles(assertions(Wrong))
        self.assertFalse(good)

    def test_the_numbers_of_kinds_are_those_of_the_header(self):
        good, said = self.compiles([
            f'_Static_assert(LRGD_KIND_COUNT == {_abi.KINDS}, "kinds");',
            f"_Static_assert(LRGD_PURPOSE_COUNT == {_abi.PURPOSES}, "
            '"purposes");',
            f"_Static_assert(LRGD_PREDICTED_COUNT == {_abi.PREDICTIONS}, "
            '"predictions");'])
        self.assertTrue(good, said)

    def test_the_hooks_of_the_options_lie_where_the_header_has_them(self):
        names = ("progress", "progress_user", "allocator")
        good, said = self.compiles(
            f"_Static_assert(offsetof(lrgd_options, {name}) == "
            f'{getattr(_abi.Options, name).offset}, "{name}");'
            for name in names)
        self.assertTrue(good, said)

    def test_every_option_of_the_library_is_a_keyword(self):
        import inspect

        import lrgd
        words = inspect.signature(lrgd.minimize).parameters
        self.assertGreater(len(_options.TABLE), 20)
        for name, row in _options.TABLE.items():
            key = _options.python_name(name)  # async_, a word of Python's
            self.assertIn(key, words)
            self.assertIn(f"{key} : ", lrgd.minimize.__doc__)
            made = _options.make({name: row.default})
            self.assertEqual(_options.texts(made)[name], row.default)


def enumerations():
    """{type: its enumerators} of the public headers, as they stand there."""
    found = {}
    for path in sorted(glob.glob(os.path.join(INCLUDE, "lrgd", "*.h"))):
        with open(path, encoding="utf-8") as header:
            text = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
        for name, body in re.findall(r"typedef enum (lrgd_\w+) \{(.*?)\}",
                                     text, re.S):
            found[name] = re.findall(r"\b[A-Za-z_]\w*", body)
    return found


def words(kind, enumerators):
    """LRGD_STEP_HEAVY_BALL -> heavy-ball; the count at the end is no member."""
    prefix = kind.upper() + "_"
    return [one[len(prefix):].lower().replace("_", "-") for one in enumerators
            if one != prefix + "COUNT"]


class Enumerators(Case):
    def setUp(self):
        super().setUp()
        self.found = enumerations()

    def test_every_keyword_has_the_type_of_its_option(self):
        self.assertGreater(len(self.found), 12)
        for kind, enumerators in self.found.items():
            prefix = kind.upper() + "_"
            if kind == "lrgd_status":
                prefix = ("LRGD_OK", "LRGD_ERR_")
            for one in enumerators:
                self.assertTrue(one.startswith(prefix), f"{kind}: {one}")

    def test_every_outcome_kind_and_purpose_has_its_word(self):
        for kind, text in (("lrgd_outcome", _abi.outcome_text),
                           ("lrgd_kind", _abi.kind_text),
                           ("lrgd_purpose", _abi.purpose_text),
                           ("lrgd_predicted", _abi.predicted_text)):
            wanted = words(kind, self.found[kind])
            given = [text(i).decode() for i in range(len(wanted) + 1)]
            self.assertEqual(given[:-1], wanted)
            self.assertNotIn(given[-1], wanted)
            self.assertTrue(given[-1] == "" or given[-1].startswith("unknown"))

    def test_every_kind_cause_and_norm_of_a_decision_has_its_word(self):
        for kind, text in (("lrgd_stall", _abi.stall_text),
                           ("lrgd_decision_kind", _abi.decision_kind_text),
                           ("lrgd_cause", _abi.cause_text),
                           ("lrgd_norm", _abi.norm_text)):
            wanted = [word.replace("-", "_")
                      for word in words(kind, self.found[kind])]
            given = [text(i).decode() for i in range(len(wanted) + 1)]
            self.assertEqual(given[:-1], wanted)
            self.assertTrue(given[-1].startswith("unknown"))

    def test_every_status_has_a_text_of_its_own(self):
        count = len(self.found["lrgd_status"])
        texts = [_abi.status_text(i) for i in range(count + 1)]
        self.assertEqual(texts[0], b"ok")
        self.assertEqual(texts[-1], b"unknown status")
        self.assertEqual(len(set(texts)), count + 1)

    def test_the_choices_of_an_option_are_the_enumerators(self):
        choices = {row.name: row.choices for row in map(
            lambda i: _abi.option_at(i).contents, range(_abi.option_count()))
            if row.choices}
        self.assertEqual(len(choices), 6)
        for name, text in choices.items():
            kind = "lrgd_" + name.decode()
            given = text.decode().replace("_", "-")  # SciPy's soft_l1
            self.assertEqual(given.split("|"),
                             words(kind, self.found[kind]))


if __name__ == "__main__":
    main()
