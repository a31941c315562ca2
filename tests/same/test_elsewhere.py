"""tools/same-elsewhere compiles what the libraries are made of, file by file."""
import json
import os
import subprocess
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def compiled(build):
    """The sources of the core and of the problems, as CMake compiles them."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        for command in json.load(file):
            for target in ("/lrgd_core.dir/", "/lrgd_problems.dir/"):
                if target in command["command"]:
                    yield os.path.realpath(
                        os.path.join(command["directory"], command["file"]))


class Elsewhere(unittest.TestCase):
    def test_its_sources_are_those_of_the_libraries(self):
        told = subprocess.run(
            [os.path.join(ROOT, "tools", "same-elsewhere"), "--sources"],
            text=True, capture_output=True, check=True).stdout.split("\n")
        found = sorted(os.path.realpath(name) for name in told if name)
        self.assertEqual(found, sorted(set(compiled(os.environ["BUILD"]))))


if __name__ == "__main__":
    unittest.main()
