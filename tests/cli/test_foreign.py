"""Foreign text and foreign files: what others named or wrote neither drives
the terminal nor runs when pasted, and nothing that is no file blocks."""
import json
import os
import re
import shlex
import subprocess

from harness import LRGD, Case, main, worker

HOSTILE = ("a 'b' $(touch pwned) `touch pwned`; touch pwned #\"\\",
           "\x1b[31mred\x07", "x\u202egnp.exe\u202c", "a\u2066b\u2069\u200e",
           "\u061c\u200f\x9b2J\x7f", "l'\n1")
NEVER = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f"
                   "\u2028-\u202e\u2066-\u2069]")


class Terminal(Case):
    def tally(self):
        return worker("tally.py", self.path("count"), 0, "value")

    def safe(self, *texts):
        for text in texts:
            self.assertNotRegex(text, NEVER)

    def pasted(self, said):
        """The words that a shell makes of what is offered after "to go on"."""
        line = re.search("^lrgd: to go on: (.*)$", said, re.M)
        self.assertIsNotNone(line, said)
        shown = subprocess.run(
            ["bash", "-c", f"lrgd() {{ printf '%s\\0' \"$@\"; }}; {line[1]}"],
            cwd=self.folder, stdout=subprocess.PIPE, text=True, timeout=600,
            check=True).stdout
        self.assertFalse(os.path.exists(self.path("pwned")))
        return shown.split("\0")[:-1]

    def test_the_command_offered_for_resuming_can_be_pasted(self):
        for i, text in enumerate(HOSTILE):
            with self.subTest(text):
                journal = f"{text.replace('/', '')} {i}.db"
                command = f"{self.tally()} {shlex.quote(text)}"
                run = self.run_lrgd(
                    "minimize", "--worker", command, "--dim", 3, "--journal",
                    journal, "--max-evals", 5, code=3)
                self.safe(run.stdout, run.stderr)
                self.assertEqual(
                    self.pasted(run.stderr),
                    ["resume", journal, "--worker", command, "--max-evals",
                     "10"])
                run = self.run_lrgd("resume", journal, code=2)
                self.safe(run.stdout, run.stderr)
                self.assertEqual(self.pasted(run.stderr),
                                 ["resume", journal, "--worker", command])
                self.safe(self.run_lrgd("status", journal).stdout)

    def test_json_escapes_control_characters_without_changing_its_meaning(self):
        for i, text in enumerate(HOSTILE):
            with self.subTest(text):
                command = f"{self.tally()} {shlex.quote(text)}"
                self.run_lrgd(
                    "minimize", "--worker", command, "--dim", 3, "--journal",
                    f"{i}.db", "--max-evals", 5, "--events", "events", code=3)
                run = self.run_lrgd("status", f"{i}.db", "--json")
                self.safe(run.stdout)
                self.assertEqual(
                    json.loads(run.stdout)["settings"]["command"], command)
        self.safe(self.read("events"))

    def test_control_characters_in_benchmark_arguments_are_escaped(self):
        for words in (("\x1b[31m\u202e",), ("--\x1b[31m\u202e", "1")):
            run = self.run_lrgd("bench", *words, code=2)
            self.safe(run.stdout, run.stderr)
            self.assertIn("\\x1b[31m", run.stderr)

    def test_a_long_resume_command_is_not_truncated(self):
        command = f"{self.tally()} {'long' * 1000}"
        run = self.run_lrgd("minimize", "--worker", command, "--dim", 3,
                            "--journal", "run.db", "--max-evals", 5, code=3)
        self.assertIn(command, self.pasted(run.stderr))

    def test_a_refused_line_of_a_file_is_shown(self):
        for name in ("b\u202ec", "\x1b[31m", "a\u200eb"):
            self.write("names.txt", f"a\n{name}\nc\n")
            run = self.run_lrgd("minimize", "--worker", self.tally(), "--dim",
                                3, "--names", "names.txt", code=2)
            self.safe(run.stdout, run.stderr)
            self.assertIn("\\x", run.stderr)

    def test_letters_beyond_ascii_stay_readable(self):
        run = self.run_lrgd("minimize", "--worker", self.tally(), "--dim", 3,
                            "--journal", "Größe 模型.db", "--max-evals", 5,
                            code=3)
        self.assertIn("Größe 模型.db: ", run.stdout)
        self.assertIn("to go on: lrgd resume 'Größe 模型.db' --worker ",
                      run.stderr)


class Pipes(Case):
    """A pipe with nobody at its other end is refused, one in use is used."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.path("pipe"))
        self.run = ("--worker", worker("tally.py", self.path("count"), 0),
                    "--dim", 3, "--max-evals", 5)

    def journal(self):
        self.run_lrgd("minimize", *self.run, "--journal", "run.db", code=3)
        return "run.db"

    def test_a_named_pipe_without_another_end_is_refused(self):
        journal = self.journal()
        for flag, code in (
                ("--start", 2), ("--lower", 2), ("--upper", 2), ("--scale", 2),
                ("--names", 2), ("--log", 2), ("--basis", 2), ("--events", 6),
                ("--save", 6), ("--journal", 7), ("--learn-from", 7)):
            run = self.run_lrgd("minimize", *self.run, flag, "pipe", code=code)
            self.assertIn("pipe: it is not a file" if code == 7 else
                          "nobody is at its other end", run.stderr)
        run = self.run_lrgd("minimize", *self.run, "--equal", "pipe", "pipe",
                            code=2)
        self.assertIn("nobody is at its other end", run.stderr)
        self.run_lrgd("report", journal, "-o", "pipe", code=6)
        for command in "resume", "status", "report":
            self.run_lrgd(command, "pipe", code=7)
        for name in "train-images-idx3-ubyte", "train-labels-idx1-ubyte":
            os.mkfifo(self.path(name))
        self.refused("minimize", "mlp", "--data", ".", says="is not a file")

    def test_a_plugin_is_a_file(self):
        self.refused("minimize", "--plugin", "pipe", says="is not a file")
        self.refused("minimize", "--plugin", ".", says="is not a file")

    def test_a_pipe_beside_a_journal_blocks_nobody(self):
        journal = self.journal()
        os.mkfifo(self.path("run.db.lock"))
        self.assertIn("5 evaluations", self.run_lrgd("status", journal).stdout)

    def test_a_pipe_whose_writer_starts_late_is_waited_for(self):
        writer = subprocess.Popen(
            ["bash", "-c", "sleep 0.2; printf '1\\n2\\n3\\n' > pipe"],
            cwd=self.folder)
        run = self.run_json("minimize", *self.run, "--start", "pipe",
                            "--method", "gd", "--max-evals", 1, code=3)
        writer.wait()
        self.assertEqual(run["x"], [1, 2, 3])
        reader = subprocess.Popen(["bash", "-c", "sleep 0.2; exec cat pipe"],
                                  cwd=self.folder, stdout=subprocess.PIPE,
                                  text=True)
        run = self.run_json("minimize", *self.run, "--save", "pipe", code=3)
        self.assertEqual([float(x) for x in reader.communicate()[0].split()],
                         run["x"])

    def test_a_slow_program_may_write_the_start(self):
        words = " ".join(shlex.quote(str(word)) for word in (
            LRGD, "minimize", *self.run, "--method", "gd", "--max-evals", 1,
            "--json", "--start"))
        run = subprocess.run(
            ["bash", "-c", f"{words} <(sleep 1.5; seq 3)"], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600)
        self.assertEqual(json.loads(run.stdout)["x"], [1, 2, 3])


if __name__ == "__main__":
    main()
