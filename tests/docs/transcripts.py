"""Runs what the pages show.

    transcripts.py LRGD-FOLDER PAGE...            do they still say the truth?
    transcripts.py --update LRGD-FOLDER PAGE...   write down what is said now

A `console` block is a transcript: lines that begin with "$ " are run, in the
order of the page, in a folder that holds the examples; what follows is what
they print.  "..." stands for anything, also for many lines.  A number may be
half as large or twice as large: another processor rounds differently, and the
path is another.  Every other block of code must be a piece of a file of the
examples, which has a test of its own, or be `text`.  The commands of a `text`
are those that a test cannot run (they take hours, install, or need a cluster):
their flags must be known to the command, and what make is told to the Makefile.
Blocks by indentation alone are none of these, and refused.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
EXAMPLES = os.path.join(ROOT, "examples")
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
ELSEWHERE = ("make ", "PYTHONPATH=")  # run by other tests
ALLOWED = ("console", "{literalinclude}", "{toctree}", "{image}",
           "{include}", "{figure}", "{eval-rst}")


def number(text):
    return float(text.replace(",", ""))


def alike(wanted, got):
    """The same words, and numbers of the same size."""
    if "..." in wanted:
        pattern = ".*".join(map(re.escape, (
            NUMBER.sub("#", part) for part in wanted.split("..."))))
        return re.fullmatch(pattern, NUMBER.sub("#", got)) is not None
    if NUMBER.sub("#", wanted) != NUMBER.sub("#", got):
        return False
    for a, b in zip(NUMBER.findall(wanted), NUMBER.findall(got)):
        a, b = abs(number(a)), abs(number(b))
        if min(a, b) > 1e-3 and not 0.5 <= (a + 1) / (b + 1) <= 2:
            return False
    return True


def matches(wanted, got):
    """Lines against lines; a line "..." stands for any number of them."""
    if not wanted:
        return not got
    if wanted[0].strip() == "...":
        return any(matches(wanted[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and alike(wanted[0], got[0]) and matches(wanted[1:],
                                                              got[1:])


def run(command, folder, tools):
    path = f"{os.path.abspath(tools)}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=600,
        env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}, check=False)
    return done.stdout.rstrip().split("\n") if done.stdout.strip() else []


def blocks(lines):
    """(first line, line after the last, language) of each fenced block."""
    begin = None
    for i, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if begin is None:
            begin = i
        else:
            language = lines[begin][3:].split(" ")[0].strip()
            if not language:
                said = lines[begin + 1].startswith("$ ")
                language = "console" if said else "text"
            yield begin + 1, i, language
            begin = None


def transcript(lines):
    """[command, lines it prints] in order."""
    said = []
    for line in lines:
        if line.startswith("$ "):
            said.append((line[2:], []))
        elif said:
            said[-1][1].append(line.rstrip())
    for _, output in said:
        while output and not output[-1]:
            output.pop()
    return said


def sources():
    """The examples' files, without their indentation."""
    for here, _, names in os.walk(EXAMPLES):
        for name in names:
            if name.endswith((".c", ".py", ".sh")):
                with open(os.path.join(here, name), encoding="utf-8") as file:
                    yield bare(file.read())


def bare(text):
    return "\n".join(line.strip() for line in text.strip().split("\n"))


def made(target):
    """Does the Makefile know it?"""
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        known = re.search(r"^\.PHONY: (.*)$", file.read(), re.M).group(1)
    return target in known.split()


def help_of(command, tools):
    """What a command of ours says of its flags."""
    done = subprocess.run(command + ["--help"], cwd=tools, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.stdout if done.returncode == 0 else ""


def unknown(line, tools):
    """Words of a command that nobody knows any more."""
    words = re.sub(r"'[^']*'", "QUOTED", line.split("  #")[0]).split()
    if not words:  # a comment alone
        return []
    if words[0] in ("mpirun", "srun"):
        words = words[3:]
    flags = [word.split("=")[0] for word in words if word.startswith("--")]
    name = os.path.basename(words[0])
    if name == "make":
        return [word for word in words[1:]
                if not word.startswith("-") and "=" not in word
                and not made(word)]
    if name == "lrgd":
        told = help_of(["./lrgd", words[1]], tools)
    elif name == "lrgd-bench":
        told = help_of(["./lrgd-bench"], tools)
    else:
        return []
    return [flag for flag in flags if flag + " " not in told] if told else words


def stale(lines, tools):
    return [f"{word} in: {line}" for line in lines if line.strip()
            for word in unknown(line, tools)]


def strangers(page, lines, tools):
    """How many blocks there are that no test runs, or that are stale."""
    files = list(sources())
    found, fenced = 0, set()
    for begin, end, language in blocks(lines):
        fenced.update(range(begin - 1, end + 1))
        code = bare("\n".join(lines[begin:end]))
        if language == "text":
            for word in stale(lines[begin:end], tools):
                found += 1
                print(f"{page}:{begin}: nobody knows {word}")
            continue
        if language in ALLOWED or any(code in file for file in files):
            continue
        found += 1
        print(f"{page}:{begin}: a block of {language} that no test runs: "
              "take it from an example, or make it a transcript")
    for i, line in enumerate(lines):
        if i not in fenced and line.startswith("    ") and not (
                i > 0 and lines[i - 1].strip()):
            found += 1
            print(f"{page}:{i + 1}: a block by indentation alone")
    return found


def complain(where, command, wanted, got):
    print(f"{where}: $ {command}\n  the page says")
    print("\n".join(f"    {line}" for line in wanted))
    print("  it says")
    print("\n".join(f"    {line}" for line in got))


def play(page, lines, tools):
    """Runs the page.  How much is not so, and the page as it should be."""
    wrong, changes = 0, []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
        # what the README calls from the project's folder
        os.symlink(os.path.abspath(tools), os.path.join(folder, "build"))
        os.symlink(".", os.path.join(folder, "examples"))
        for begin, end, language in blocks(lines):
            if language != "console":
                continue
            block = []
            for command, wanted in transcript(lines[begin:end]):
                if command.startswith(ELSEWHERE):
                    wrong += len(stale([command], tools))
                    block += [f"$ {command}", *wanted]
                    continue
                got = run(command, folder, tools)
                same = matches(wanted, got)
                block += [f"$ {command}", *(wanted if same else got)]
                if not same:
                    wrong += 1
                    complain(f"{page}:{begin}", command, wanted, got)
            changes.append((begin, end, block))
    fresh = list(lines)
    for begin, end, block in reversed(changes):
        fresh[begin:end] = block
    return wrong, fresh


def check(page, tools, update):
    """The number of things that are not so."""
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    wrong = strangers(page, lines, tools)
    differing, fresh = play(page, lines, tools)
    if not update:
        return wrong + differing
    with open(page, "w", encoding="utf-8") as file:
        file.write("\n".join(fresh))
    return wrong


def main(arguments):
    update = arguments[0] == "--update"
    tools, *pages = arguments[1 if update else 0:]
    wrong = 0
    for page in pages:
        bad = check(page, tools, update)
        print(f"{os.path.basename(page)}: {'ok' if not bad else 'not so'}")
        wrong += bool(bad)
    print(f"{len(pages) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
