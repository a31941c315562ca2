"""Foreign text and foreign files: what others named or wrote neither drives
the terminal nor runs when pasted, and nothing that is no file blocks."""
import os
import re
import shlex
import subprocess

from harness import Case, main, worker

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
            cwd=self.folder, stdout=subprocess.PIPE, text=True, timeout=60,
            check=True).stdout
        self.assertFalse(os.path.exists(self.path("pwned")))
        return shown.split("\0")[:-1]

    def test_how_to_go_on_can_be_pasted(self):
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

    def test_a_long_command_is_offered_whole(self):
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

    def test_other_letters_stay_readable(self):
        run = self.run_lrgd("minimize", "--worker", self.tally(), "--dim", 3,
                            "--journal", "Größe 模型.db", "--max-evals", 5,
                            code=3)
        self.assertIn("Größe 模型.db: ", run.stdout)
        self.assertIn("to go on: lrgd resume 'Größe 模型.db' --worker ",
                      run.stderr)


if __name__ == "__main__":
    main()
