"""lrgd minimize on built-in problems and plugins, and lrgd problems."""
import json
import os
import re
import xml.etree.ElementTree

from harness import Case, PLUGIN, main

PURPOSES = {"identify", "descend", "search", "probe", "check"}


class Minimize(Case):
    low_rank = ("minimize", "quadratic", "--method", "lrgd", "--set",
                "p=200", "--set", "rank=5", "--rank", 5)

    def test_json_has_every_field_that_scripts_rely_on(self):
        result = self.run_json(*self.low_rank)
        self.assertEqual(result["outcome"], "converged")
        self.assertLess(result["f"], 1e-8)
        self.assertEqual(len(result["x"]), 200)
        self.assertEqual(result["rank"], 5)
        self.assertEqual(result["method"], "lrgd")
        self.assertEqual(result["seed"], 1)
        self.assertGreater(result["seconds"], 0)
        self.assertGreater(result["iterations"], 0)
        self.assertEqual(set(result["certificate"]),
                         {"grad_norm_bound", "confidence", "probes",
                          "projected"})
        self.assertIsNone(result["stall_reason"])
        for phase in result["phases"]:
            self.assertLessEqual({"iteration", "evaluations", "rank", "text",
                                  "kind"}, set(phase))
        self.assertIsNone(result["stall_reason"])
        self.assertEqual(result["hidden_bounds"], [])
        self.assertEqual(result["end"]["kind"], result["phases"][-1]["kind"])
        self.assertIsNone(result["held"])

    def test_the_counts_add_up(self):
        for oracle in ("value", "gradient", "slope", "complex"):
            result = self.run_json(*self.low_rank, "--oracle", oracle)
            counts = result["counts"]
            self.assertEqual(set(counts["evaluations"]),
                             {"values", "slopes", "gradients"})
            for kind in counts["evaluations"].values():
                self.assertEqual(set(kind), PURPOSES)
            self.assertEqual(
                sum(sum(kind.values())
                    for kind in counts["evaluations"].values()),
                result["evaluations"])
            self.assertEqual(sum(counts["oracle_calls"].values()),
                             result["oracle_calls"])

    def test_the_flag_oracle_decides_which_kind_of_evaluation_is_made(self):
        for oracle, kind in (("value", "values"), ("gradient", "gradients"),
                             ("slope", "slopes"), ("complex", "values")):
            counts = self.run_json(*self.low_rank, "--oracle",
                                   oracle)["counts"]["evaluations"]
            for name, purposes in counts.items():
                self.assertEqual(sum(purposes.values()) > 0, name == kind,
                                 (oracle, counts))

    def test_dim_is_another_way_to_set_p(self):
        result = self.run_json("minimize", "quadratic", "--dim", 17, "--rank",
                               5)
        self.assertEqual(result["dimension"], 17)

    def test_a_budget_is_kept_and_best_so_far_given(self):
        for budget in (0, 1, 2, 7, 201, 300):
            result = self.run_json(*self.low_rank, "--max-evals", budget,
                                   code=3)
            self.assertEqual(result["outcome"], "budget")
            self.assertLessEqual(result["evaluations"], budget)
            self.assertEqual(len(result["x"]), 200)
            if budget == 0:
                self.assertIsNone(result["f"])

    def test_exit_statuses_follow_the_outcome(self):
        target = self.run_json(*self.low_rank, "--target", 1e-2)
        self.assertEqual(target["outcome"], "target")
        linear = self.run_json("minimize", "linear", "--rank", 1, code=5)
        self.assertEqual(linear["outcome"], "unbounded")

    def test_the_same_seed_gives_the_same_run(self):
        runs = [self.run_json(*self.low_rank, "--seed", 5) for _ in range(2)]
        for run in runs:
            run.pop("seconds")
        self.assertEqual(*runs)

    def test_the_text_reports_the_number_of_evaluations(self):
        text = self.run_lrgd(*self.low_rank).stdout
        for word in ("Converged", "evaluations",
                     "one gradient by differences: 200", "directions    5 of",
                     "certificate", "confidence", "time"):
            self.assertIn(word, text)
        self.assertNotIn("oracle calls", text)
        text = self.run_lrgd(*self.low_rank, "--verbose").stdout
        for word in ("identify", "oracle calls", "one full gradient: 200",
                     "decisions"):
            self.assertIn(word, text)

    def test_with_bounds_the_certificate_is_of_the_projected_gradient(self):
        box = (*self.low_rank, "--lower", 0)
        self.assertIn("projected |grad f| <=", self.run_lrgd(*box).stdout)
        self.assertIs(self.run_json(*box)["certificate"]["projected"], True)
        free = self.run_json(*self.low_rank)
        self.assertIs(free["certificate"]["projected"], False)

    def test_a_picture_is_drawn_as_svg_and_png(self):
        run = self.run_lrgd(*self.low_rank, "--plot", "a.svg", "--plot",
                            "b.png")
        self.assertIn("lrgd: drew a.svg\nlrgd: drew b.png\n", run.stderr)
        root = xml.etree.ElementTree.parse(self.path("a.svg")).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        self.assertEqual(self.read("b.png", "rb")[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_picture_of_nothing_is_still_a_picture(self):
        self.run_lrgd(*self.low_rank, "--max-evals", 0, "--plot", "a.svg",
                      code=3)
        xml.etree.ElementTree.parse(self.path("a.svg"))

    def test_a_picture_s_name_is_checked_before_anything_is_spent(self):
        self.refused(*self.low_rank, "--plot", "a.pdf", says=".svg or .png")

    def test_a_picture_that_cannot_be_written_is_an_error(self):
        run = self.run_lrgd(*self.low_rank, "--plot", "no/where.svg", code=6)
        self.assertIn("no/where.svg", run.stderr)

    def test_where_files_go_is_checked_before_anything_is_spent(self):
        for flag in ("--save", "--plot", "--events", "--journal"):
            for path in ("no/where.svg", "."):
                if flag == "--journal" and path == ".":
                    continue  # refused: status 7
                if flag == "--plot" and path == ".":
                    path = "folder.svg"
                    os.mkdir(self.path(path))
                run = self.run_lrgd(
                    "minimize", "--worker", f"sh -c 'echo > {flag}; cat'",
                    "--dim", 2, flag, path, code=6)
                self.assertIn(path, run.stderr)
                self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
                self.assertEqual(run.stdout, "")
                self.assertFalse(os.path.exists(self.path(flag)))


class Problems(Case):
    def test_every_problem_listed_can_be_minimised(self):
        listed = json.loads(self.run_lrgd("problems", "--json").stdout)
        names = [kind["name"] for kind in listed["problems"]]
        self.assertGreaterEqual(len(names), 10)
        text = self.run_lrgd("problems").stdout
        for name in names:
            self.assertIn(f"\n{name}: ", "\n" + text)
            data = ("--data", "tiny") if name == "mlp" else ()
            result = self.run_json_any("minimize", name, "--rank", 2,
                                       "--max-evals", 300, *data)
            self.assertIn(result["outcome"],
                          ("converged", "budget", "stalled", "unbounded"))

    def test_one_problem_is_shown_by_its_name(self):
        text = self.run_lrgd("problems", "quadratic").stdout
        self.assertTrue(text.startswith("quadratic: "), text)
        self.assertNotIn("rosenbrock", text)
        listed = json.loads(
            self.run_lrgd("problems", "quadratic", "--json").stdout)
        self.assertEqual([kind["name"] for kind in listed["problems"]],
                         ["quadratic"])
        self.refused("problems", "quadratik", says="did you mean quadratic")

    def run_json_any(self, *arguments):
        """Whatever the outcome, it is told by one JSON object."""
        for code in (0, 3, 5):
            try:
                return self.run_json(*arguments, code=code)
            except AssertionError as error:
                last = error
        raise last


class Diagnose(Case):
    def test_a_budget_that_is_too_small_is_reported_with_one_that_is_not(self):
        small = ("diagnose", "quadratic", "--set", "p=20", "--set", "rank=2")
        run = self.run_lrgd(*small, "--max-evals", 60, "--quiet", code=3)
        self.assertNotIn("nan", run.stdout)
        enough = re.search(r"--max-evals (\d+) is enough", run.stderr)
        self.run_lrgd(*small, "--max-evals", enough[1])


class Plugin(Case):
    def test_a_plugin_is_minimised_with_what_it_offers(self):
        result = self.run_json("minimize", "--plugin", PLUGIN, "--method",
                               "gd")
        self.assertEqual(result["dimension"], 3)
        for x in result["x"]:
            self.assertAlmostEqual(x, 1, places=5)
        counts = result["counts"]["evaluations"]
        self.assertGreater(sum(counts["gradients"].values()), 0)

    def test_set_and_dim_reach_the_plugin(self):
        result = self.run_json("minimize", "--plugin", PLUGIN, "--method",
                               "gd", "--dim", 5, "--set", "shift=2",
                               "--oracle", "value")
        self.assertEqual(len(result["x"]), 5)
        self.assertAlmostEqual(result["x"][4], 2, places=4)
        counts = result["counts"]["evaluations"]
        self.assertEqual(sum(counts["gradients"].values()), 0)

    def test_an_oracle_that_a_plugin_lacks_is_refused(self):
        self.refused("minimize", "--plugin", PLUGIN, "--oracle", "slope",
                     says="does not offer it")
        self.refused("minimize", "--plugin", PLUGIN, "--set", "refuse",
                     says="no thanks")
        self.refused("minimize", "--plugin", PLUGIN, "--set", "later",
                     says="newer version")
        self.refused("minimize", "--plugin", "./nowhere.so",
                     says="nowhere.so")
        self.refused("minimize", "--plugin", "libm.so.6", says="libm.so.6")
        self.refused("minimize", "--plugin",
                     self.write("text.so", "not a library"),
                     says="cannot be loaded")


if __name__ == "__main__":
    main()
