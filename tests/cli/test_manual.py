"""The manual page and the completions say what the command knows."""
import os
import re
import shutil
import subprocess
import unittest

from harness import Case, main

MANUAL = os.environ.get("LRGD_MANUAL", "build/manual")
COMPLETE_BASH = """
. "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
compopt() { :; }
_lrgd; printf '%s\\n' "${COMPREPLY[@]}"
"""
# a terminal of its own, in which the tabulator is pressed
COMPLETE_ZSH = """
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -d $2; \\
PROMPT=; bindkey '^I' complete-word; print rea''dy"
zpty -r -m z o '*ready*'
zpty -w -n z "$3"$'\\t'
zpty -r -m z o "*$4*" && print -r -- "$o"
"""


def made(name):
    return os.path.join(MANUAL, name)


def need(tool):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


class Manual(Case):
    def flags_of(self, command):
        text = self.run_lrgd(command, "--help").stdout
        return re.findall(r"(?m)^  --([a-z-]+)", text.split("Flags:")[1])

    def commands(self):
        text = self.run_lrgd("--help").stdout
        return re.findall(r"(?m)^  lrgd (\w+) ", text.split("Try:")[0])

    def complete(self, *words):
        run = subprocess.run(
            ["bash", "-c", COMPLETE_BASH, "bash", made("lrgd"), *words],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, check=True)
        return run.stdout.split()

    def fish(self, line):
        run = subprocess.run(
            ["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]',
             made("lrgd.fish"), line], cwd=self.folder, text=True,
            env={**os.environ, "HOME": self.folder},
            stdout=subprocess.PIPE, check=True)
        return [row.split("\t")[0] for row in run.stdout.splitlines()]

    def test_the_manual_page_has_every_command_and_flag(self):
        with open(made("lrgd.1"), encoding="utf-8") as file:
            page = file.read().replace("\\-", "-")
        self.assertGreater(len(self.commands()), 5)
        for command in self.commands():
            self.assertIn(f".SS lrgd {command}", page)
            for flag in self.flags_of(command):
                self.assertIn(f".BI --{flag}", page)

    @need("mandoc")
    def test_the_manual_page_is_well_formed(self):
        run = subprocess.run(["mandoc", "-T", "lint", "-W", "error",
                              made("lrgd.1")], text=True,
                             stdout=subprocess.PIPE, check=False)
        self.assertEqual(run.stdout, "")

    def test_the_sites_table_has_every_flag(self):
        with open(made("command.md"), encoding="utf-8") as file:
            page = file.read()
        for command in self.commands():
            for flag in self.flags_of(command):
                self.assertIn(f"| `--{flag}` |", page)

    def test_bash_offers_commands_flags_and_choices(self):
        self.assertEqual(self.complete("lrgd", "mini"), ["minimize"])
        for command in self.commands():
            offered = self.complete("lrgd", command, "--")
            self.assertEqual(offered, [f"--{flag}" for flag
                                       in self.flags_of(command)])
        self.assertEqual(self.complete("lrgd", "minimize", "--method", "qu"),
                         ["quasi-newton"])
        self.assertEqual(self.complete("lrgd", "minimize", "quadr"),
                         ["quadratic"])

    def test_bash_offers_journals_where_one_is_wanted(self):
        self.write("run.db", "")
        self.write("run.txt", "")
        self.assertEqual(self.complete("lrgd", "status", "ru"), ["run.db"])
        self.assertEqual(self.complete("lrgd", "minimize", "--start", "run.t"),
                         ["run.txt"])

    @need("fish")
    def test_fish_offers_the_same(self):
        self.assertEqual(self.fish("lrgd mini"), ["minimize"])
        self.assertIn("--max-evals", self.fish("lrgd minimize --max"))
        self.assertEqual(self.fish("lrgd minimize --method qu"), ["quasi-newton"])
        self.assertEqual(self.fish("lrgd reproduce hal"), ["half"])
        self.write("run.db", "")
        self.assertIn("run.db", self.fish("lrgd status ru"))

    @need("zsh")
    def test_zsh_completes_the_same_words_as_bash(self):
        def zsh(line, wanted):
            return subprocess.run(
                ["zsh", "-f", "-c", COMPLETE_ZSH, "zsh",
                 os.path.abspath(MANUAL), self.path("dump"), line, wanted],
                cwd=self.folder, text=True, stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL, timeout=600, check=True).stdout
        self.assertIn("minimize", zsh("lrgd mini", "minimize"))
        self.assertIn("iterated", zsh("lrgd minimize --method ite", "iterated"))
        self.assertIn("--max-evals", zsh("lrgd minimize --max-ev",
                                         "--max-evals"))


if __name__ == "__main__":
    main()
