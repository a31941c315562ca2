"""test_policy.py PRINT_POLICY ROOT: docs/parameters.md is made from the table,
and every row is read somewhere in src/."""
import os
import re
import subprocess
import sys
import unittest

PRINT, ROOT = sys.argv[1:3]


def printed(what):
    return subprocess.run([PRINT, what], text=True, check=True,
                          capture_output=True).stdout


def sources():
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith((".c", ".h")):
                with open(os.path.join(folder, name)) as file:
                    yield file.read()


class Policy(unittest.TestCase):
    def test_the_page_is_made_from_the_table(self):
        with open(os.path.join(ROOT, "docs", "parameters.md")) as page:
            self.assertEqual(page.read(), printed("page"),
                             "docs/parameters.md is old: make parameters")

    def test_every_row_is_read_by_the_solver(self):
        text = "\n".join(sources())
        for line in printed("rows").splitlines():
            name = line.split("\t")[0]
            self.assertTrue(re.search(rf"->{name}\b", text),
                            f"nothing reads {name}")

    def test_every_row_names_a_test_that_is_built(self):
        built = os.path.dirname(PRINT)
        for line in printed("rows").splitlines():
            name, _, _, test = line.split("\t")
            program = "test-" + re.sub("/", "-", test.split(":")[0], count=1)
            self.assertTrue(os.path.exists(os.path.join(built, program)),
                            f"{name} names {test}, and there is no {program}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
