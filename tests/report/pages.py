"""What the tests of the report share: pages, read as a browser would."""
import base64
import contextlib
import hashlib
import html.parser
import json
import os
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from harness import LRGD, PYTHON, Case, main  # noqa: E402,F401

SIM = f"{PYTHON} {os.path.join(HERE, 'sim.py')}"

# all that a page is made of; what is not here has no business in it
TAGS = set("""html head meta title style body a header main footer section p h1
h2 h3 dl dt dd div ul li ol i figure figcaption svg path rect text script span
strong code table thead tbody tr th td details summary pre button""".split())
ATTRIBUTES = set("""lang charset name content http-equiv class href id role
aria-label aria-labelledby aria-hidden tabindex viewbox width height d x y type
scope colspan hidden preserveaspectratio""".split())
VOID = {"meta", "path", "rect"}


class Page(html.parser.HTMLParser):
    """A page taken apart: its text by element, scripts, ids, and all that is
    not as it should be in `wrong`."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.source = source
        self.wrong, self.open, self.ids, self.metas = [], [], [], []
        self.texts, self.code, self.charts, self.drawings = [], {}, {}, []
        self.figure = None
        self.feed(source)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in TAGS:
            self.wrong.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.wrong.append(f"<{tag} {name}=...>")
            if name == "href" and not value.startswith("#"):
                self.wrong.append(f"{name}={value}")
            if name == "id":
                self.ids.append(value)
        if tag == "meta":
            self.metas.append(given)
        if tag == "figure":
            self.figure = given["id"]
        if tag == "svg" and "aria-hidden" not in given:
            self.drawings.append(given.get("aria-label", ""))
        if tag not in VOID:
            self.open.append((tag, given))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1][0] != tag:
            self.wrong.append(f"</{tag}> in {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        tag, given = self.open[-1] if self.open else ("", {})
        if tag == "script" and given.get("type") == "application/json":
            self.charts[self.figure] = json.loads(data)
        elif tag in ("script", "style"):
            self.code[tag] = self.code.get(tag, "") + data
        else:
            self.texts.append(data)

    def text(self):
        return " ".join("".join(self.texts).split())

    def meta(self, key):
        return [m["content"] for m in self.metas
                if key in (m.get("name"), m.get("http-equiv"))]

    def policy(self):
        return self.meta("Content-Security-Policy")[0]

    def sum_of(self, tag):
        digest = hashlib.sha256(self.code[tag].encode()).digest()
        return "sha256-" + base64.b64encode(digest).decode()

    def between(self, start, end):
        return self.source.split(start, 1)[1].split(end, 1)[0]

    def state(self):
        return self.between('<p class="state ', "</p>").split(">", 1)[1]

    def csv(self):
        """The best point: names, numbers, start."""
        lines = html.unescape(self.between('<pre id="csv" tabindex="0">',
                                           "</pre>")).splitlines()
        rows = [line.rsplit(",", 2) for line in lines[1:]]
        return ([row[0] for row in rows], [float(row[1]) for row in rows],
                [float(row[2]) for row in rows])


# ---- journals as a stranger might write them: whatever the text, right sums

def sum_u64(total, value):
    total = (total ^ value) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
    return total ^ total >> 29


def sum_bytes(total, data):
    if data is None:
        return sum_u64(total, 7)
    total = sum_u64(total, len(data) + 1)
    for i in range(0, len(data), 8):
        total = sum_u64(total, int.from_bytes(data[i:i + 8], "little"))
    return total


def signed(total):
    return total - (1 << 64) if total >> 63 else total


def forge_setting(path, key, text):
    """Gives a setting of a journal any text at all, as bytes."""
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        may_change, = file.execute(
            "SELECT may_change FROM settings WHERE key = ?", [key]).fetchone()
        total = sum_bytes(3, key.encode())
        total = sum_u64(total, may_change)
        total = sum_u64(sum_bytes(total, text), 7)
        file.execute("UPDATE settings SET text = CAST(? AS TEXT), sum = ? "
                     "WHERE key = ?", [text, signed(total), key])


class Reported(Case):
    def minimize(self, *arguments, **more):
        return self.run_json("minimize", *arguments, "--journal", "run.db",
                             **more)

    def report(self, *arguments):
        self.run_lrgd("report", "run.db", "-o", "run.html", *arguments)
        page = Page(self.read("run.html"))
        self.assertEqual(page.wrong, [])
        return page

    def start(self, *arguments):
        process = subprocess.Popen(
            [LRGD, *map(str, arguments)], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process
