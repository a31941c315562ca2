"""The command line: what is refused, and how it is said."""
import os
import subprocess

from harness import Case, LRGD, main


class Flags(Case):
    def test_version_and_help_go_to_standard_output(self):
        self.assertRegex(self.run_lrgd("--version").stdout, r"^lrgd \d+\.\d+")
        self.assertIn("minimize", self.run_lrgd("--help").stdout)
        self.assertIn("--max-evals", self.run_lrgd("minimize", "-h").stdout)
        self.assertEqual(self.run_lrgd("help", "bench").stdout,
                         self.run_lrgd("bench", "--help").stdout)

    def test_help_lists_the_exit_statuses_and_what_programs_get(self):
        text = self.run_lrgd("--help").stdout
        for code in (*range(9), "128[+]N"):
            self.assertRegex(text, rf"(?m)^  {code}  ")
        text = self.run_lrgd("minimize", "--help").stdout
        self.assertIn("P numbers on standard", text)
        self.assertIn("[no limit]", text)

    def test_the_list_of_commands_has_a_whole_sentence_for_each(self):
        for line in self.run_lrgd("--help").stdout.split("\n\n")[1].split("\n"):
            name = line.split()[1]
            whole = self.run_lrgd(name, "--help").stdout.split("\n")[1]
            self.assertEqual(line, f"  lrgd {name:12} {whole.rstrip('.')}")

    def test_version_without_dashes_is_answered_with_a_hint(self):
        self.refused("version", says="lrgd --version")

    def test_every_option_of_the_library_is_a_flag_with_its_default(self):
        text = self.run_lrgd("minimize", "--help").stdout
        for flag in ("method", "rank", "step", "alpha", "tol", "target",
                     "noise", "max-evals", "max-seconds", "retries",
                     "max-failures", "seed", "dim", "start", "lower", "upper",
                     "oracle", "jobs", "timeout", "json", "quiet"):
            self.assertIn(f"  --{flag}", text)

    def test_a_mistyped_name_is_answered_with_the_nearest(self):
        self.refused("minimise", "quadratic", says="did you mean minimize?")
        self.refused("minimize", "quadratic", "--rnak", 3,
                     says="did you mean --rank?")
        self.refused("minimize", "quadratic", "--max_evals", 3,
                     says="did you mean --max-evals?")
        for wrong, right in (("dimension", "dim"), ("conf", "confidence")):
            self.refused("minimize", "quadratic", f"--{wrong}", 3,
                         says=f"did you mean --{right}?")
        self.refused("minimize", "quadratik", says="did you mean quadratic?")
        self.refused("minimize", "quadratic", "--zzzzzzzzz", says="--help")
        self.refused("minimize", "quadratic", "-z", says="no flag -z")
        self.refused(says="lrgd --help")

    def test_steps_given_to_a_method_with_its_own_are_not_silent(self):
        for flag in (("--alpha", 0.1), ("--step", "wolfe"),
                     ("--momentum", 0.5)):
            for method, own in (("auto", True), ("quasi-newton", True),
                                ("gd", False)):
                run = self.run_lrgd("minimize", "quadratic", "--method",
                                    method, *flag, "--max-evals", 50, code=3)
                self.assertEqual("chooses its steps itself" in run.stderr,
                                 own, (flag, method, run.stderr))
        run = self.run_lrgd("minimize", "quadratic", "--max-evals", 50,
                            code=3)
        self.assertNotIn("not used", run.stderr)

    def test_numbers_are_strict(self):
        for flag, text in (("rank", "-1"), ("rank", "3x"), ("rank", "0x3"),
                           ("rank", "1e1000"), ("tol", "nan"), ("tol", "1,5"),
                           ("tol", " 1"), ("alpha", "-1"), ("seed", "1.5"),
                           ("max-evals", "-1"), ("method", "newton"),
                           ("dim", "0"), ("dim", "x"), ("start", "nan")):
            self.refused("minimize", "quadratic", f"--{flag}={text}",
                         says=flag if flag != "dim" else "p")

    def test_a_missing_or_superfluous_value_of_a_flag_is_refused(self):
        self.refused("minimize", "quadratic", "--tol=", says="wants a value")
        self.refused("minimize", "quadratic", "--tol", says="wants a value")
        self.refused("minimize", "quadratic", "--tol", "--json",
                     says="wants a value")
        self.refused("minimize", "quadratic", "--json=1",
                     says="takes no value")
        self.refused("minimize", "", says="no built-in problem")

    def test_two_problems_are_refused(self):
        self.refused("minimize", says="minimise what?")
        self.refused("minimize", "a", "b", says="one problem at a time")
        self.refused("minimize", "quadratic", "--worker", "cat",
                     says="not several")
        self.refused("minimize", "--worker", "cat", says="--dim")
        self.refused("minimize", "quadratic", "--set", "p",
                     says="KEY=VALUE")
        self.refused("minimize", "quadratic", "--set", "q=3",
                     says="no parameter")

    def test_dim_and_set_p_must_agree(self):
        self.refused("minimize", "quadratic", "--set", "p=20", "--dim", 30,
                     says="--set p=20 and --dim 30 contradict each other")
        self.refused("minimize", "quadratic", "--dim", 30, "--set", "p=20",
                     says="contradict")
        result = self.run_json("minimize", "quadratic", "--set", "p=20",
                               "--dim", 20)
        self.assertEqual(len(result["x"]), 20)

    def test_two_dashes_end_the_flags(self):
        self.refused("minimize", "--", "--json",
                     says='no built-in problem is called "--json"')
        self.run_lrgd("minimize", "--quiet", "--", "beale", "--rank", 2,
                      code=2)

    def test_flags_with_and_without_equals_sign_are_the_same(self):
        one = self.run_json("minimize", "beale", "--rank=2", "--seed=7")
        two = self.run_json("minimize", "beale", "--rank", 2, "--seed", 7)
        one.pop("seconds"), two.pop("seconds")
        self.assertEqual(one, two)

    def test_ten_thousand_arguments_are_read(self):
        words = ["--seed=3"] * 10000
        result = self.run_json("minimize", "beale", "--rank", 2, *words)
        self.assertEqual(result["seed"], 3)

    def test_control_characters_are_shown_not_sent(self):
        run = self.run_lrgd("minimize", "a\033[31mb\nc", code=2)
        self.assertIn(r"a\x1b[31mb\x0ac", run.stderr)


class Vectors(Case):
    def minimize(self, *more):
        return ("minimize", "quadratic", "--set", "p=3", "--set", "rank=1",
                "--rank", 1, *more)

    def test_a_start_from_a_file_is_used(self):
        start = self.write("start.txt", " 1\n2.5e0\r\n\n-3")
        result = self.run_json(*self.minimize("--start", start, "--max-evals",
                                              1), code=3)
        self.assertEqual(result["x"], [1, 2.5, -3])

    def test_a_bad_line_of_a_file_is_reported_with_its_number(self):
        for text in ("abc", "1.0abc", "0x1", "1e999", "nan", "inf", "--3",
                     "."):
            start = self.write("start.txt", f"1\n{text}\n3\n")
            self.refused(*self.minimize("--start", start),
                         says="start.txt:2: ")

    def test_numbers_stand_on_lines_or_side_by_side_with_names(self):
        for text in ("1 2.5 -3", "1,2.5,-3\n", "1;2.5;-3", "1, 2.5,\t-3\n",
                     "a,b,c\n1,2.5,-3\n", "start\n1\n2.5\n-3\n",
                     "# where\nname value\nx1 1\nx2 2.5 # here\nx3 -3\n",
                     "\ufeffa,b,c\r\n1,2.5,-3\r\n", '"a","b"\n1\n2.5\n-3'):
            result = self.run_json(*self.minimize(
                "--start", self.write("start.csv", text), "--max-evals", 1),
                code=3)
            self.assertEqual(result["x"], [1, 2.5, -3], text)

    def test_a_word_that_is_neither_number_nor_name_is_refused(self):
        for text, line in (("1.o\n2\n3\n", 1), ("a\nb\n1 2 3\n", 2),
                           ("1 2\nend\n", 2), ("a b 1\n2\n3\n", 1),
                           ("nan\n1\n2\n3\n", 1), ("1,5\n2,5\n3,5\n", 2)):
            start = self.write("start.txt", text)
            self.refused(*self.minimize("--start", start),
                         says=f"start.txt:{line}: ")

    def test_a_wrong_count_is_reported_with_the_numbers(self):
        short = self.write("short.txt", "1\n2\n")
        self.refused(*self.minimize("--start", short),
                     says="short.txt:2: the file ends after 2 numbers; the "
                     "problem has 3 inputs")
        long = self.write("long.txt", "1\n2\n3\n4\n")
        self.refused(*self.minimize("--start", long),
                     says="long.txt:4: one number too many; the problem has 3")

    def test_files_without_numbers_are_refused(self):
        self.refused(*self.minimize("--start", "nowhere"),
                     says="neither a number nor a file")
        self.refused(*self.minimize("--start", "."), says="directory")
        self.refused(*self.minimize("--start", self.write("e", "")),
                     says="no numbers")
        with open(self.path("zero"), "wb") as file:
            file.write(b"1\n2\0\n3\n")
        self.refused(*self.minimize("--start", self.path("zero")),
                     says="zero:2:")
        self.refused(*self.minimize("--start", self.write("l", "1" * 9999)),
                     says="l:1:")

    def test_a_saved_point_is_read_back_exactly(self):
        one = self.run_json(*self.minimize("--save", "x.txt"))
        two = self.run_json(*self.minimize("--start", "x.txt", "--max-evals",
                                           1), code=3)
        self.assertEqual(one["x"], two["x"])

    def test_a_failed_write_leaves_the_old_file(self):
        self.write("x.txt", "1\n2\n3\n")
        run = subprocess.run(
            ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", LRGD,
             *map(str, self.minimize("--save", "x.txt", "--quiet"))],
            cwd=self.folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 6, run.stderr)
        self.assertEqual(self.read("x.txt"), "1\n2\n3\n")
        self.assertEqual(os.listdir(self.folder), ["x.txt"])

    def test_no_point_outside_the_bounds_is_evaluated(self):
        lower = self.write("lower", "-inf\n2\n-inf\n")
        upper = self.write("upper", "3\n3\n0.5\n")
        result = self.run_json(*self.minimize("--lower", lower, "--upper",
                                              upper, "--max-evals", 3), code=3)
        for x, most in zip(result["x"], (3, 3, 0.5)):
            self.assertLessEqual(x, most)
        self.assertGreaterEqual(result["x"][1], 2)

    def test_moving_a_start_into_its_bounds_is_reported(self):
        run = self.run_lrgd(*self.minimize("--lower", 1, "--start", 0.5,
                                           "--max-evals", 3), code=3)
        self.assertIn("outside its bounds in 3 of 3 inputs", run.stderr)
        run = self.run_lrgd(*self.minimize("--lower", 1, "--start", 1,
                                           "--max-evals", 3), code=3)
        self.assertNotIn("outside", run.stderr)


class Surroundings(Case):
    command = ("minimize", "beale", "--rank", "2")

    def test_a_decimal_comma_in_the_environment_changes_nothing(self):
        plain = self.run_json(*self.command)
        for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "nonsense"):
            other = self.run_json(*self.command, env={"LC_ALL": name})
            self.assertEqual(plain["x"], other["x"])

    def test_a_bare_environment_is_enough(self):
        subprocess.run([LRGD, *self.command], env={}, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_standard_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([LRGD, *self.command], stdout=full,
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 6)
        self.assertIn("standard output", run.stderr)

    def test_a_closed_pipe_is_an_error_not_a_death(self):
        read, write = os.pipe()
        os.close(read)
        run = subprocess.run([LRGD, *self.command], stdout=write,
                             stderr=subprocess.PIPE, text=True)
        os.close(write)
        self.assertEqual(run.returncode, 6)
        self.assertIn("Broken pipe", run.stderr)

    def test_with_closed_standard_descriptors_no_file_is_overwritten(self):
        command = " ".join([LRGD, *self.command, "--save", "x"])
        run = subprocess.run(["sh", "-c", f"{command} <&- >&- 2>&-"],
                             cwd=self.folder)
        self.assertEqual(run.returncode, 0)
        self.assertRegex(self.read("x"), r"^[-0-9.e+\n]+$")

    def test_only_the_first_of_several_ranks_prints(self):
        for names in (("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
                      ("PMI_SIZE", "PMI_RANK"),
                      ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID")):
            for rank in (0, 2):
                run = self.run_lrgd("problems", "quadratic",
                                    env=dict(zip(names, ("3", str(rank)))))
                self.assertEqual(run.stdout == "", rank > 0, names)
                run = self.run_lrgd("compare", "quadratic", code=2,
                                    env=dict(zip(names, ("3", str(rank)))))
                self.assertEqual(run.stderr == "", rank > 0, names)

    def test_quiet_says_nothing_and_no_terminal_sees_no_escapes(self):
        run = self.run_lrgd(*self.command, "--quiet")
        self.assertEqual(run.stderr, "")
        run = self.run_lrgd(*self.command, env={"TERM": "xterm"})
        self.assertNotIn("\033", run.stderr + run.stdout)


if __name__ == "__main__":
    main()
