"""tools/literals: what it finds in small trees, and in this one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "literals"


def literals(code, listed="", name="auto/switch.c"):
    """(exit status, output) of the tool on a tree with one file."""
    with tempfile.TemporaryDirectory() as tree:
        for path, text in (("src/" + name, code),
                           ("tests/policy/literals.txt", listed)):
            file = pathlib.Path(tree, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        run = subprocess.run([sys.executable, TOOL, tree], check=False,
                             capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


class Literals(unittest.TestCase):
    def test_every_number_of_this_tree_is_a_row_or_explained(self):
        run = subprocess.run([sys.executable, TOOL], check=False,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_number_that_decides_is_found(self):
        for code in ("return lead > 0.07 * fell;", "if (k > 11) stop();",
                     "x = met >= 24 ? 1 : 0;", "return f < 1e-5;",
                     "x = s[n - 3];"):
            status, told = literals(code)
            self.assertEqual(status, 1, f"{code}: {told}")
            self.assertIn("src/auto/switch.c:1: ", told)

    def test_a_number_that_is_explained_passes(self):
        listed = "auto/switch.c 24 formula 4!, of the Taylor series\n"
        self.assertEqual(literals("x = y / 24;", listed)[0], 0)

    def test_an_explanation_without_its_number_is_found(self):
        listed = "auto/switch.c 24 formula 4!, of the Taylor series\n"
        status, told = literals("x = y;", listed)
        self.assertEqual(status, 1)
        self.assertIn("there is no such number any more", told)

    def test_comments_texts_arrays_and_guards_are_not_asked_about(self):
        for code in ("/* at least 7 */", 'print("%3d of 9");', "double a[7];",
                     "#define SEVEN 7", "y = 1 << 22;", "y = 0.5 * x + 1e-300;",
                     "x = lr_alloc(a, 7 * p, sizeof *x);", "u = x + 3 * p;"):
            self.assertEqual(literals(code)[0], 0, code)

    def test_the_policy_itself_is_not_asked_about(self):
        self.assertEqual(literals("X(a, 7, ...)", name="base/policy.h")[0], 0)


if __name__ == "__main__":
    unittest.main()
