"""The libraries of this build against the recorded ABI.

The change was meant, and the SONAME with it?  `make abi` records it anew."""
import os
import re
import sys
import unittest

import abi

sys.path.insert(1, os.path.join(abi.HERE, "..", "cli"))
from harness import main  # noqa: E402

BUILD = os.environ["LRGD_LIBDIR"]


def cut(text, name):
    """The ABI with the last member of a struct taken away."""
    body = re.search(rf"<class-decl name='{name}'.*?</class-decl>", text,
                     re.S).group(0)
    size = int(re.search(r"size-in-bits='(\d+)'", body).group(1))
    last = body.rindex("<data-member")
    start = int(re.search(r"layout-offset-in-bits='(\d+)'",
                          body[last:]).group(1))
    shorter = body[:last].replace(f"size-in-bits='{size}'",
                                  f"size-in-bits='{start}'", 1)
    return text.replace(body, shorter + "</class-decl>")


class Abi(unittest.TestCase):
    def setUp(self):
        self.now = {library: abi.dump(os.path.join(BUILD, library + ".so"))
                    for library in abi.LIBRARIES}
        self.core = self.now["liblrgd"]

    def same(self, old, new):
        self.assertEqual(abi.differences(old, new), "")

    def other(self, old, new):
        self.assertNotEqual(old, new)
        self.assertNotEqual(abi.differences(old, new), "")

    def test_programs_of_the_recorded_abi_are_served(self):
        for library in abi.LIBRARIES:
            with self.subTest(library):
                self.same(abi.baseline(library), self.now[library])

    def test_structs_with_a_size_may_grow(self):
        for name in ("lrgd_options", "lrgd_result", "lrgd_space_ops"):
            with self.subTest(name):
                self.same(cut(self.core, name), self.core)

    def test_functions_and_enumerators_may_be_added(self):
        older = re.sub(r"\s*<elf-symbol name='lrgd_version'[^>]*>", "",
                       self.core)
        older = re.sub(r"\s*<function-decl name='lrgd_version'.*?"
                       r"</function-decl>", "", older, flags=re.S)
        older = re.sub(r"\s*<enumerator name='LRGD_ERR_LOCKED'[^>]*>", "",
                       older)
        older = older.replace("'LRGD_KIND_COUNT' value='3'",
                              "'LRGD_KIND_COUNT' value='2'")
        self.assertEqual(older.count("\n"), self.core.count("\n") - 5)
        self.same(older, self.core)

    def test_a_struct_without_a_size_may_not_grow(self):
        for name in ("lrgd_counts", "lrgd_box", "lrgd_certificate"):
            with self.subTest(name):
                self.other(cut(self.core, name), self.core)

    def test_what_the_headers_only_declare_may_change(self):
        for name in ("lrgd_uncertainty", "lrgd_variables"):
            with self.subTest(name):
                self.assertIn(name, abi.opaque())
                self.same(cut(self.core, name), self.core)
                self.same(self.core, cut(self.core, name))

    def test_a_member_may_not_go(self):
        self.other(self.core, cut(self.core, "lrgd_options"))

    def test_a_member_may_not_move(self):
        body = re.search(r"<class-decl name='lrgd_options'.*?</class-decl>",
                         self.core, re.S).group(0)
        swapped = body.replace("'rank'", "'@'").replace("'step'", "'rank'")
        self.other(self.core.replace(body, swapped.replace("'@'", "'step'")),
                   self.core)

    def test_a_function_may_not_go(self):
        self.other(self.core.replace("lrgd_version", "lrgd_vision"),
                   self.core)

    def test_an_enumerator_keeps_its_value(self):
        self.other(self.core.replace("'LRGD_ERR_NOMEM' value='2'",
                                     "'LRGD_ERR_NOMEM' value='12'"),
                   self.core)


if __name__ == "__main__":
    main()
