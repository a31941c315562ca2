"""Runs the examples of the gallery with the lrgd that was just built: a report
and a picture for each, and the cards of the page.

    gallery.py LRGD EXAMPLES REPORTS CARDS.md
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

ROD = "--dim 30 --start 0.5 --names simulator/names.txt"
RUNS = [
    ("blend", "A blend of 200 ingredients",
     "Any program as f; exactly four directions matter, and the run ends with "
     "a certificate.",
     "lrgd minimize --worker 'python3 blend.py' --dim 200 --start 0"),
    ("antenna", "An antenna array",
     "64 amplitudes and phases within bounds, stopped by a budget.",
     "lrgd minimize antenna --max-evals 800"),
    ("fit", "A heated rod from what was measured",
     "The program answers 40 temperatures, a file says what was observed: "
     "groups, residuals, and how well each input is known.",
     "lrgd fit --worker 'python3 residuals/gauges.py' "
     f"--observations residuals/observations.txt {ROD} --log all "
     "--max-evals 60"),
    ("plate", "Thicknesses of a plate",
     "160 thicknesses found from deflections, by finite elements, within "
     "bounds.",
     "lrgd minimize plate --max-evals 600"),
    ("airfoil", "A wing section",
     "36 inputs in a box, values as a panel method prints them.",
     "lrgd minimize airfoil --max-evals 600"),
    ("diagnosis", "Is it low-rank?",
     "A diagnosis: the spectrum, which inputs matter, and what each method "
     "would cost.",
     "lrgd diagnose --worker 'python3 blend.py' --dim 200 --start 0"),
]


def run(lrgd, words, folder):
    done = subprocess.run([lrgd, *words], cwd=folder, text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode not in (0, 3):  # 3: the budget that the page sets
        sys.exit(f"{shlex.join(words)}: status {done.returncode}\n"
                 f"{done.stdout}")


def card(name, title, text, command):
    return f"""<div class="card">
<a class="shot" href="gallery/{name}.html">

![{title}: what was reached with how many evaluations](made/gallery/{name}.svg)

</a>
<h3><a href="gallery/{name}.html">{title}</a></h3>
<p>{text}</p>

```text
{command} --journal {name}.db
lrgd report {name}.db
```
</div>
"""


def main(lrgd, examples, reports, cards):
    lrgd = os.path.abspath(lrgd)
    reports = os.path.abspath(reports)
    os.makedirs(reports, exist_ok=True)
    pictures = os.path.join(os.path.dirname(os.path.abspath(cards)), "gallery")
    os.makedirs(pictures, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(examples, folder, dirs_exist_ok=True)
        for name, _, _, command in RUNS:
            picture = os.path.join(pictures, name + ".svg")
            run(lrgd, [*shlex.split(command)[1:], "--journal", name + ".db",
                       "--quiet", "--plot", picture], folder)
            run(lrgd, ["report", name + ".db", "-o",
                       os.path.join(reports, name + ".html")], folder)
    with open(cards, "w", encoding="utf-8") as file:
        file.write("\n".join(card(*one) for one in RUNS))


if __name__ == "__main__":
    main(*sys.argv[1:])
