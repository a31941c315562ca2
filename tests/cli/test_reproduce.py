"""The paper's own results, and the demo's benchmark.

The paper's numbers stand in tests/data, never in the program."""
import csv
import io
import json
import os
import xml.etree.ElementTree

from harness import Case, DATA, main, without_sanitizers

PAPER = os.path.join(DATA, "oracle-calls.csv")


class Tables(Case):
    def paper(self):
        with open(PAPER, encoding="utf-8") as file:
            return file.read()

    def test_all_120_counts_are_the_paper_s(self):
        run = self.run_lrgd("reproduce", "half", "fourth", "tenth", "--csv")
        self.assertEqual(run.stdout, self.paper())
        self.assertEqual(len(run.stdout.splitlines()), 61)

    def test_one_table_is_its_part_of_the_file(self):
        head, *rows = self.paper().splitlines(True)
        for name in ("half", "fourth", "tenth"):
            run = self.run_lrgd("reproduce", name, "--csv")
            wanted = [row for row in rows if row.startswith(name + ",")]
            self.assertEqual(run.stdout, "".join([head] + wanted))

    @without_sanitizers
    def test_the_paper_s_numbers_stand_beside_ours(self):
        # mnist, which is in all, on a set that takes no minutes
        text = self.run_lrgd("reproduce", "all", "--data", "tiny", "--epochs",
                             1, "--set", "hidden=8", "--set", "n=20").stdout
        self.assertIn("120 of 120 counts equal the paper's", text)
        self.assertIn("A network on tiny", text)
        self.assertTrue({"figure-1.svg", "figure-2.svg"}
                        <= set(os.listdir(self.folder)))
        self.assertNotIn(")*", text)
        self.assertRegex(text, r"15018 \(10331\) +15018 \(10331\)")

    def test_a_count_that_differs_is_marked_and_fails(self):
        other = self.paper().replace("half,2,10,0.87,0.50,22,20",
                                     "half,2,10,0.87,0.50,22,21")
        path = self.write("other.csv", other)
        run = self.run_lrgd("reproduce", "half", "--paper", path, code=1)
        self.assertIn("39 of 40 counts equal", run.stdout)
        self.assertRegex(run.stdout, r"22 \(20\) +22 \(21\)\*")

    def test_a_file_that_is_not_the_paper_s_is_refused(self):
        path = self.write("other.csv", "a,b\n1,2\n")
        self.refused("reproduce", "half", "--paper", path,
                     says="other.csv:1:")
        self.refused("reproduce", "half", "--paper", "nowhere",
                     says="nowhere")

    def test_json_has_the_cells(self):
        one = json.loads(self.run_lrgd("reproduce", "half", "--json").stdout)
        self.assertEqual(len(one["cells"]), 20)
        self.assertEqual(one["compared"], one["equal"])
        both = json.loads(self.run_lrgd("reproduce", "half", "tenth",
                                        "--json").stdout)
        self.assertEqual(set(both), {"half", "tenth"})
        self.assertEqual(both["half"], one)

    def test_an_unknown_result_of_the_paper_is_refused(self):
        self.refused("reproduce", says="reproduce what?")
        self.refused("reproduce", "third", says="third")
        self.refused("reproduce", "half", "--csv", "--json", says="not both")


class Figure(Case):
    def test_the_counts_and_the_phases_are_the_paper_s(self):
        figure = json.loads(self.run_lrgd("reproduce", "figure-1",
                                          "--json").stdout)
        gd, lrgd = figure["gd"], figure["lrgd"]
        self.assertEqual((gd["iterations"], gd["oracle_calls"]), (13, 26))
        self.assertEqual((lrgd["iterations"], lrgd["oracle_calls"]), (21, 25))
        self.assertEqual(lrgd["phases"], [7, 17, 19, 21])
        self.assertEqual(figure["epsilon"], 0.02)

    def test_the_iterates_are_those_of_the_two_algorithms(self):
        figure = json.loads(self.run_lrgd("reproduce", "figure-1",
                                          "--json").stdout)
        for name in "gd", "lrgd":
            path = figure[name]["path"]
            self.assertEqual(len(path), figure[name]["iterations"] + 1)
            self.assertEqual(path[0], [1.5, 1.5, 9.0])
            self.assertEqual(figure[name]["calls"][0], 0)
            self.assertEqual(figure[name]["calls"][-1],
                             figure[name]["oracle_calls"])
            for x, y, f in path:
                self.assertAlmostEqual(f, 3 * x * x + y * y, delta=1e-12)
        for (x, y, _), (u, v, _) in zip(figure["gd"]["path"],
                                        figure["gd"]["path"][1:]):
            self.assertAlmostEqual(u, x * (1 - 6 / 15), delta=1e-14)
            self.assertAlmostEqual(v, y * (1 - 2 / 15), delta=1e-14)
        path = figure["lrgd"]["path"]
        for first, last in zip([0, 7, 17, 19], [7, 17, 19, 21]):
            # a round goes along one line
            dx = path[first + 1][0] - path[first][0]
            dy = path[first + 1][1] - path[first][1]
            for x, y, _ in path[first:last + 1]:
                off = dx * (y - path[first][1]) - dy * (x - path[first][0])
                self.assertAlmostEqual(off, 0, delta=1e-13)

    def test_the_text_of_figure_1_states_its_stopping_rule(self):
        text = self.run_lrgd("reproduce", "figure-1").stdout
        self.assertIn("end at iterations 7, 17, 19, 21", text)
        self.assertIn("lowers f by less than epsilon = 0.02", text)

    def test_the_picture_is_drawn_twice(self):
        os.mkdir(self.path("here"))
        self.run_lrgd("reproduce", "figure-1", "--out", "here")
        self.assertEqual(sorted(os.listdir(self.path("here"))),
                         ["figure-1.png", "figure-1.svg"])
        xml.etree.ElementTree.parse(self.path("here/figure-1.svg"))
        self.run_lrgd("reproduce", "figure-1", "--plot", "mine.png")
        self.assertEqual(sorted(os.listdir(self.folder)), ["here", "mine.png"])


class Data(Case):
    """Every figure and table as comma-separated values."""

    def rows(self, name):
        text = self.run_lrgd("reproduce", name, "--csv").stdout
        return list(csv.DictReader(io.StringIO(text)))

    def test_figure_1_has_a_row_per_iterate(self):
        rows = self.rows("figure-1")
        self.assertEqual([r["method"] for r in rows],
                         ["gd"] * 14 + ["lrgd"] * 22)
        ends = [int(a["iteration"]) for a, b in zip(rows[14:], rows[15:])
                if a["phase"] != b["phase"]]
        self.assertEqual(ends, [7, 17, 19])

    def test_acceleration_has_a_row_per_cell(self):
        rows = self.rows("acceleration")
        self.assertEqual(len(rows), 28)
        self.assertTrue(all(float(r["calls"]) > 500 for r in rows))

    def test_csv_of_tables_with_different_columns_is_refused(self):
        self.refused("reproduce", "half", "figure-1", "--csv",
                     says="one of them at a time")


class Bench(Case):
    @without_sanitizers
    def test_the_demo_shows_what_each_method_paid(self):
        run = self.run_lrgd("bench", "demo", "--json", "--quiet", "--plot",
                            "demo.svg", "--plot", "demo.png")
        runs = json.loads(run.stdout)["runs"]
        self.assertGreaterEqual(len(runs), 4)
        gd = runs[0]
        for other in runs[1:]:
            self.assertEqual(other["outcome"], "converged")
            self.assertLess(other["oracle_calls"], gd["oracle_calls"] / 50)
        xml.etree.ElementTree.parse(self.path("demo.svg"))

    def test_an_unknown_suite_is_refused(self):
        self.refused("bench", "nonsense", says="no suite")


if __name__ == "__main__":
    main()
