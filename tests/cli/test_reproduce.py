"""The paper's own results, and the demo's benchmark.

The paper's numbers stand in tests/data, never in the program."""
import json
import os
import xml.etree.ElementTree

from harness import Case, DATA, main

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

    def test_names_are_checked(self):
        self.refused("reproduce", says="reproduce what?")
        self.refused("reproduce", "third", says="third")
        self.refused("reproduce", "figure-1", "--csv", says="tables")
        self.refused("reproduce", "half", "--csv", "--json", says="not both")


class Figure(Case):
    def test_the_counts_are_the_paper_s(self):
        figure = json.loads(self.run_lrgd("reproduce", "figure-1",
                                          "--json").stdout)
        self.assertEqual(figure["gd"], {"iterates": 13, "oracle_calls": 26})
        self.assertEqual(figure["lrgd"], {"iterates": 21, "oracle_calls": 25})

    def test_it_says_whose_the_threshold_is(self):
        text = self.run_lrgd("reproduce", "figure-1").stdout
        self.assertIn("The threshold is ours, the counts are the paper's",
                      text)

    def test_the_picture_is_drawn_twice(self):
        os.mkdir(self.path("here"))
        self.run_lrgd("reproduce", "figure-1", "--out", "here")
        self.assertEqual(sorted(os.listdir(self.path("here"))),
                         ["figure-1.png", "figure-1.svg"])
        xml.etree.ElementTree.parse(self.path("here/figure-1.svg"))
        self.run_lrgd("reproduce", "figure-1", "--plot", "mine.png")
        self.assertEqual(sorted(os.listdir(self.folder)), ["here", "mine.png"])


class Bench(Case):
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
