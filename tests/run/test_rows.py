#!/usr/bin/env python3
"""ROWS.md names tests that exist, and a line for every row it says it holds."""

import glob
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
# what stands in backquotes and is no test
OTHERS = re.compile(r"\.(py|c)$|^(tests/cli|fork|run/|#!|SOAK=1|make \w+|"
                    r"reproduce)$")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Rows(unittest.TestCase):
    def setUp(self):
        self.text = read(os.path.join(HERE, "ROWS.md"))
        sources = [read(path) for room in (HERE, os.path.join(HERE, "../cli"))
                   for path in glob.glob(os.path.join(room, "test_*"))]
        self.names = [name.replace("\\", "") for source in sources for name in
                      re.findall(r"def test_(\w+)|TEST\(\"(.*?)\"\)", source)
                      for name in name if name]

    def test_every_test_that_is_named_exists(self):
        named = [name for name in re.findall(r"`([^`]+)`", self.text)
                 if not OTHERS.search(name)]
        self.assertGreater(len(named), 100)
        for name in named:
            begin = name.split("…")[0].strip(" ,")
            self.assertTrue(any(n.startswith(begin) for n in self.names), name)

    def test_every_row_of_the_list_names_its_test(self):
        numbers = set()
        for line in self.text.splitlines():
            if line.startswith("| ") or line.startswith("Not here"):
                head = line.split("|")[1] if line[0] == "|" else line
                for a, b in re.findall(r"\b(\d+)(?:–(\d+))?", head):
                    numbers.update(range(int(a), int(b or a) + 1))
        elsewhere = {56, 57, 58, 59, 65, 66, 67}  # callbacks, MPI, devices
        self.assertEqual(set(range(38, 113)) - numbers - elsewhere, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
