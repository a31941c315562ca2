"""--csv: rows for other programs, in place of what people read."""
import csv
import io

from harness import Case, main

P = ("quadratic", "--set", "p=6", "--set", "rank=2")


class Rows(Case):
    def rows(self, *arguments, code=0):
        run = self.run_lrgd(*arguments, "--csv", code=code)
        return list(csv.DictReader(io.StringIO(run.stdout)))

    def test_minimize_writes_the_best_point_a_row_for_each_input(self):
        self.write("names", "\n".join(f"k_{i}" for i in range(6)) + "\n")
        found = self.run_json("minimize", *P, "--upper", 9, "--names", "names")
        rows = self.rows("minimize", *P, "--upper", 9, "--names", "names",
                         "--quiet")
        self.assertEqual([float(row["x"]) for row in rows], found["x"])
        self.assertEqual([row["input"] for row in rows], list("123456"))
        self.assertEqual(rows[2]["name"], "k_2")
        self.assertEqual((rows[0]["lower"], rows[0]["upper"]), ("-inf", "9"))

    def test_status_writes_every_evaluation_that_was_kept(self):
        found = self.run_json("minimize", *P, "--oracle", "value", "--journal",
                              "run.db")
        rows = self.rows("status", "run.db")
        self.assertEqual(len(rows), found["evaluations"])
        self.assertEqual(min(float(row["f"]) for row in rows), found["f"])
        self.assertEqual({row["kind"] for row in rows}, {"value"})

    def test_a_failure_is_a_row_on_one_line(self):
        self.run_lrgd("minimize", "--program", "sh -c 'echo a >&2; echo b, c >&2; exit 3'",
                      "--dim", 2, "--journal", "run.db", "--quiet", code=4)
        rows = self.rows("status", "run.db")
        self.assertEqual(rows[0]["f"], "")
        self.assertIn("exit status 3", rows[0]["failure"])
        self.assertIn("b, c", rows[0]["failure"])

    def test_diagnose_writes_what_r_directions_leave_out(self):
        found = self.run_json("diagnose", *P)
        rows = self.rows("diagnose", *P, "--quiet")
        self.assertEqual([float(row["spectrum"]) for row in rows],
                         found["spectrum"])
        self.assertEqual([float(row["eta_max"]) for row in rows],
                         [row["max"] for row in found["eta"]])

    def test_problems_writes_a_row_for_each_parameter(self):
        rows = self.rows("problems", "quadratic")
        self.assertIn("rank", [row["parameter"] for row in rows])
        self.assertEqual({row["problem"] for row in rows}, {"quadratic"})

    def test_csv_and_json_exclude_each_other(self):
        for command in (("minimize", *P), ("diagnose", *P), ("problems",),
                        ("compare", *P)):
            run = self.run_lrgd(*command, "--csv", "--json", code=2)
            self.assertIn("--csv or --json, not both", run.stderr)


main()
