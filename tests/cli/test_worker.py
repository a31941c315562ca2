"""lrgd minimize on programs: counting, failures, signals, the bar."""
import json
import os
import pty
import select
import signal
import subprocess
import time

from harness import Case, LRGD, main, worker


class Worker(Case):
    def test_the_worker_s_own_count_equals_evaluations(self):
        for oracle in ("value", "gradient", "slope"):
            for method in (["gd"], ["lrgd", "--rank", 2], ["iterated",
                           "--rank", 2], ["adaptive"]):
                result = self.run_json(
                    "minimize", "--worker",
                    worker("bowl.py", oracle, self.path("count")), "--dim", 8,
                    "--oracle", oracle, "--method", *method)
                self.assertEqual(result["outcome"], "converged")
                self.assertEqual(int(self.read("count")),
                                 result["evaluations"], (oracle, method))

    def test_a_shell_script_can_be_a_worker(self):
        script = self.write("sum.sh", """while read -r line; do
  echo "$line" | awk '{ for (i = 1; i <= NF; i++) s += $i
    printf "%.17g\\n", (s - 1)^2 }'
done
""")
        result = self.run_json("minimize", "--worker", f"sh '{script}'",
                               "--dim", 3, "--rank", 1, "--tol", 0.1)
        self.assertAlmostEqual(sum(result["x"]), 1, places=1)

    def test_a_program_that_ignores_its_input_is_not_minimised(self):
        script = self.write("same.sh", "while read -r line; do echo 42.5; done")
        result = self.run_json("minimize", "--worker", f"sh '{script}'",
                               "--dim", 3, code=3)
        self.assertEqual(result["outcome"], "stalled")
        self.assertEqual(result["stall_reason"], "constant")
        self.assertIsNone(result["certificate"])
        self.assertIn("does the program read its input?", result["message"])

    def test_a_start_file_says_how_many_inputs_there_are(self):
        start = self.write("start", "1\n2\n3\n4\n")
        result = self.run_json("minimize", "--worker",
                               worker("bowl.py", "value"), "--start", start,
                               "--rank", 2)
        self.assertEqual(result["dimension"], 4)

    def test_a_program_is_run_once_per_evaluation(self):
        result = self.run_json("minimize", "--program",
                               worker("bowl.py", "value"), "--dim", 3,
                               "--rank", 1, "--max-evals", 5, code=3)
        self.assertLessEqual(result["evaluations"], 5)

    def test_a_command_that_cannot_be_started_gives_exit_status_2(self):
        run = self.run_lrgd("minimize", "--worker", "./nowhere", "--dim", 2,
                            "--rank", 1, code=2)
        self.assertIn("nowhere", run.stderr)
        self.assertEqual(run.stdout, "")

    def test_a_worker_that_always_fails_gives_exit_status_4(self):
        run = self.run_lrgd("minimize", "--worker",
                            worker("bowl.py", "value", "-", 0, 1), "--dim", 2,
                            "--rank", 1, "--max-failures", 3, "--json",
                            code=4)
        self.assertEqual(json.loads(run.stdout)["outcome"], "failed")
        self.assertIn("oops", json.loads(run.stdout)["failure"])
        self.assertIn("oops", run.stderr)

    def test_the_headline_says_why_a_program_failed(self):
        run = self.run_lrgd("minimize", "--program", "sh -c 'exit 2'",
                            "--dim", 2, code=4)
        self.assertRegex(run.stdout,
                         r"\AFailed: .* cannot be evaluated: exit status 2\n")

    def test_a_worker_that_does_not_answer_is_reported(self):
        run = self.run_lrgd("minimize", "--worker", "sleep 1000", "--dim", 2,
                            "--timeout", 12, "--max-failures", 1, code=4)
        self.assertEqual(run.stderr.count("no answer yet after 10 s: does"),
                         1, run.stderr)
        self.assertIn("1 asked, 0 answered", run.stderr)

    STRAY = """import os, sys, time
n = 0
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    n += 1
    os.write(os.open("count", os.O_WRONLY | os.O_CREAT | os.O_APPEND), b".")
    if n == 4 and sys.argv[1] == "before" and not os.path.exists("once"):
        open("once", "w").close()
        print(-99, flush=True)
        time.sleep(0.05)
    print(repr(sum((i + 1) * (v - 0.3 * i) ** 2 for i, v in enumerate(x))),
          flush=True)
if sys.argv[1] == "farewell":
    print(n)
"""

    def test_a_journal_turns_an_answer_that_proved_wrong_into_a_failure(self):
        script = self.write("stray.py", self.STRAY)
        command = f"/usr/bin/python3 {script} before"
        run = self.run_lrgd("minimize", "--worker", command, "--dim", 5,
                            "--start", 1, "--journal", "run.db", code=4)
        self.assertIn("('-99') cannot be trusted", run.stderr)
        told = json.loads(self.run_lrgd("status", "run.db", "--json").stdout)
        self.assertGreater(told["f"], 0)
        result = self.run_json("resume", "run.db", "--worker", command)
        f = sum((i + 1) * (v - 0.3 * i) ** 2 for i, v in
                enumerate(result["x"]))
        self.assertEqual(result["f"], f)
        self.assertEqual(result["outcome"], "converged")

    def test_a_stray_number_at_the_end_costs_one_reported_evaluation(self):
        script = self.write("stray.py", self.STRAY)
        for more in ((), ("--journal", "run.db")):
            result = self.run_json(
                "minimize", "--worker", f"/usr/bin/python3 {script} farewell",
                "--dim", 5, "--start", 1, *more)
            self.assertEqual(result["outcome"], "converged")
            self.assertEqual(result["evaluations"],
                             len(self.read("count")), more)
            os.remove(self.path("count"))

    def test_flags_that_make_no_sense_are_refused(self):
        self.refused("minimize", "--worker", "cat", "--dim", 2, "--jobs", 0,
                     says="--jobs")
        self.refused("minimize", "--worker", "cat", "--dim", 2, "--timeout",
                     "-1", says="--timeout")
        self.refused("minimize", "--worker", "cat", "--dim", 2, "--oracle",
                     "complex", says="complex")
        self.refused("minimize", "--worker", "cat", "--dim", 2, "--set",
                     "a=1", says="--set")


class Signals(Case):
    def start(self, *more, **options):
        return subprocess.Popen(
            [LRGD, "minimize", "--worker",
             worker("bowl.py", "value", self.path("count"), 0.02), "--dim",
             "40", "--method", "gd", "--json", *more], text=True,
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            **options)

    def wait_for_count(self, least):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                if int(self.read("count")) >= least:
                    return
            except (OSError, ValueError):
                pass
            time.sleep(0.01)
        self.fail("the worker was not asked")

    def test_after_the_first_signal_the_best_point_is_reported(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if os.path.exists(self.path("count")):
                os.remove(self.path("count"))
            process = self.start()
            self.wait_for_count(60)
            process.send_signal(number)
            out, err = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 128 + number, err)
            self.assertEqual(err.count("once more to stop now\n"), 1, err)
            result = json.loads(out)
            self.assertEqual(result["outcome"], "stopped")
            self.assertEqual(len(result["x"]), 40)
            self.assertIsNotNone(result["f"])
            self.assertEqual(result["evaluations"], int(self.read("count")))
            counts = result["counts"]["evaluations"]
            self.assertEqual(result["evaluations"],
                             sum(sum(k.values()) for k in counts.values()))

    def test_ten_signals_end_it_at_once(self):
        process = self.start()
        self.wait_for_count(2)
        for _ in range(10):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130)

    def test_a_signal_stops_a_built_in_problem_too(self):
        process = subprocess.Popen(
            [LRGD, "minimize", "rosenbrock", "--set", "p=2000", "--method",
             "gd", "--step", "fixed", "--alpha", "1e-7", "--json",
             "--quiet"], stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(out)["outcome"], "stopped")


class Bar(Case):
    def watch(self, environment, columns=100):
        """What a terminal of that width is sent."""
        import fcntl
        import struct
        import termios
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [LRGD, "minimize", "--worker",
             worker("bowl.py", "value", "-", 0.01), "--dim", "20", "--method",
             "gd", "--max-evals", "60"], stdout=subprocess.DEVNULL,
            stderr=slave, env={**os.environ, **environment})
        os.close(slave)
        seen = b""
        while select.select([master], [], [], 30)[0]:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(master)
        self.assertEqual(process.wait(), 3)
        return seen.decode()

    def test_a_terminal_sees_a_bar_that_goes_away(self):
        seen = self.watch({"TERM": "xterm"})
        self.assertIn("evaluations", seen)
        self.assertIn("\033[36m", seen)
        self.assertTrue(seen.endswith("\r\033[K"), repr(seen[-20:]))

    def test_the_variable_no_color_is_respected(self):
        seen = self.watch({"TERM": "xterm", "NO_COLOR": "1"})
        self.assertIn("evaluations", seen)
        self.assertNotIn("\033[36m", seen)

    def test_a_dumb_or_narrow_terminal_sees_no_escapes(self):
        self.assertNotIn("\033", self.watch({"TERM": "dumb"}))
        self.assertNotIn("\033", self.watch({"TERM": "xterm"}, columns=1))

    def test_no_line_is_wider_than_the_terminal(self):
        seen = self.watch({"TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C"},
                          columns=50)
        for line in seen.split("\r\033[K"):
            self.assertLess(len(line), 50)


if __name__ == "__main__":
    main()
