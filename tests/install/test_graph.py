"""tools/graph: what it finds in small trees, and in this one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

LEAF = {
    "src/base/leaf.h": "#ifndef LR_LEAF_H\n#define LR_LEAF_H\n"
                       "typedef struct lr_leaf {\n  int n;\n} lr_leaf;\n"
                       "int lr_leaf_size(const lr_leaf *leaf);\n#endif\n",
    "src/base/leaf.c": '#include "base/leaf.h"\n\n'
                       "int lr_leaf_size(const lr_leaf *leaf)\n"
                       "{\n  return leaf->n;\n}\n",
}


def graph(files):
    """(exit status, output) of the script on a tree with these files."""
    with tempfile.TemporaryDirectory() as tree:
        for name, text in files.items():
            path = pathlib.Path(tree, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run(
            [sys.executable, ROOT / "tools" / "graph", "--write", tree],
            capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


class Graph(unittest.TestCase):
    def fails(self, files, *words):
        status, told = graph({**LEAF, **files})
        self.assertEqual(status, 1, told)
        for word in words:
            self.assertIn(word, told)

    def test_this_tree_has_no_cycle_and_its_picture_is_up_to_date(self):
        run = subprocess.run([sys.executable, ROOT / "tools" / "graph"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_file_that_uses_a_lower_one_is_fine(self):
        status, told = graph({
            **LEAF,
            "src/space/top.c": '#include "base/leaf.h"\n'
                               "int lr_top(lr_leaf *l)\n"
                               "{\n  return lr_leaf_size(l);\n}\n"})
        self.assertEqual(status, 0, told)

    def test_an_include_of_a_higher_room_is_an_arrow_up(self):
        self.fails({"src/space/high.h": "#ifndef A_H\n#define A_H\n#endif\n",
                    "src/base/low.c": '#include "space/high.h"\n'},
                   "arrow up: src/base/low -> src/space/high")

    def test_two_files_that_call_each_other_are_a_cycle(self):
        self.fails({"src/base/a.c": "int lr_a(int n)\n"
                                    "{\n  return n ? lr_b(n - 1) : 0;\n}\n",
                    "src/base/b.c": "int lr_b(int n)\n"
                                    "{\n  return n ? lr_a(n - 1) : 0;\n}\n"},
                   "src/base/a -> src/base/b (names lr_b)",
                   "src/base/b -> src/base/a (names lr_a)")

    def test_a_forward_declaration_hides_no_cycle(self):
        self.fails({"src/base/twig.h": "#ifndef LR_TWIG_H\n#define LR_TWIG_H\n"
                                       "struct lr_tree;\n"
                                       "void lr_twig(struct lr_tree *t);\n"
                                       "#endif\n",
                    "src/base/tree.h": "#ifndef LR_TREE_H\n#define LR_TREE_H\n"
                                       '#include "base/stem.h"\n'
                                       "struct lr_tree {\n  int n;\n};\n"
                                       "#endif\n",
                    "src/base/stem.h": "#ifndef LR_STEM_H\n#define LR_STEM_H\n"
                                       '#include "base/twig.h"\n#endif\n'},
                   "src/base/twig -> src/base/tree (names struct lr_tree)")

    def test_a_name_in_a_comment_is_no_arrow(self):
        status, told = graph({
            **LEAF, "src/base/a.c": "/* not lr_b */\nint lr_a;\n",
            "src/base/b.c": "int lr_b(void)\n{\n  return lr_a;\n}\n"})
        self.assertEqual(status, 0, told)

    def test_a_file_that_stands_for_another_is_not_named_by_it(self):
        status, told = graph({
            **LEAF,
            "src/base/leaf_table.c": '#include "base/leaf.h"\n\n'
                                     "int lr_leaf_size(const lr_leaf *leaf)\n"
                                     "{\n  return leaf->n + 1;\n}\n"})
        self.assertEqual(status, 0, told)

    def test_no_two_files_have_the_same_name(self):
        self.fails({"src/space/leaf.c": "\n"},
                   "one name twice: src/base/leaf.c and src/space/leaf.c")

    def test_a_room_that_is_on_no_floor_is_named(self):
        self.fails({"src/attic/box.c": '#include "base/leaf.h"\n'},
                   "src/attic/box: its room is not in tools/graph")


if __name__ == "__main__":
    unittest.main()
