"""What the tests of the command share: running it, and the sum at the end.

LRGD names the command under test, LRGD_PLUGIN a plugin to load.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

LRGD = os.path.abspath(os.environ.get("LRGD", "build/lrgd"))
PLUGIN = os.environ.get("LRGD_PLUGIN", "")
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
PYTHON = "/usr/bin/python3"
# for tests whose memory others use as well
without_sanitizers = unittest.skipIf(
    os.environ.get("RUN_SANITIZED"), "no other code than in other tests")


def worker(name, *arguments):
    """The command line of a worker that lies beside the tests."""
    return " ".join([PYTHON, os.path.join(HERE, name), *map(str, arguments)])


class Case(unittest.TestCase):
    """A test with a folder of its own to run in."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name, mode="r"):
        with open(self.path(name), mode) as file:
            return file.read()

    def run_lrgd(self, *arguments, code=0, env=None, **more):
        """Runs the command, checks its exit status unless that is None,
        returns what it wrote."""
        run = subprocess.run(
            [LRGD, *map(str, arguments)], cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=600,
            env={**os.environ, **(env or {})}, **more)
        if code is not None:
            self.assertEqual(run.returncode, code,
                             f"{arguments}\n{run.stdout}\n{run.stderr}")
        return run

    def run_json(self, *arguments, **more):
        run = self.run_lrgd(*arguments, "--json", "--quiet", **more)
        return json.loads(run.stdout)

    def refused(self, *arguments, says):
        """A usage error: status 2, nothing but one line on stderr."""
        run = self.run_lrgd(*arguments, code=2)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("lrgd: "), run.stderr)
        self.assertIn(says, run.stderr)


def main():
    program = unittest.main(exit=False, verbosity=2)
    bad = len(program.result.failures) + len(program.result.errors)
    # a test may fail in many of its parts
    print(f"{max(program.result.testsRun - bad, 0)} passed, {bad} failed")
    sys.exit(bad > 0)
