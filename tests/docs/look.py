"""Looks at the pages of the site in a browser, at a desk and on a telephone.

    look.py FOLDER

Nothing may go wrong in their scripts, stick out of the window, lack a name or
a picture; dark is dark where the reader wants it.  PICTURES names a folder for
pictures of the pages, to be looked at."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "report"))
from browser import Browser  # noqa: E402

PICTURES = os.environ.get("PICTURES")

NAMELESS = """[...document.querySelectorAll("article img")].filter(e =>
    !e.alt || !e.naturalWidth).map(e => "a picture without words: " + e.src)
  .concat([...document.querySelectorAll("article a[href]")].filter(e =>
    !e.textContent.trim() && !e.querySelector("img[alt]"))
    .map(e => "a link without words: " + e.href))"""

LIGHT = """(() => { const rgb = getComputedStyle(document.body)
  .backgroundColor.match(/\\d+/g).map(Number);
  return rgb.slice(0, 3).reduce((a, b) => a + b) / 3; })()"""


def look(browser, path, width, dark):
    """What is wrong with a page."""
    browser.open(path, width=width, dark=dark)
    wrong = [text for text in browser.complaints()
             if not text.startswith("asked for data:")]
    wide = browser.run("document.documentElement.scrollWidth")
    if wide > width:
        wrong.append(f"{wide} wide")
    if (browser.run(LIGHT) < 128) != dark:
        wrong.append("light where dark was wanted, or dark where not")
    return wrong + browser.run(NAMELESS)


def pages(folder):
    for here, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(".html"):
                yield os.path.join(here, name)


def main(folder):
    browser, bad, seen = Browser(), 0, 0
    try:
        for path in pages(folder):
            for width, dark in ((1280, False), (390, True)):
                for text in look(browser, path, width, dark):
                    print(f"{path}, {width} wide: {text}", file=sys.stderr)
                    bad += 1
                if PICTURES:
                    name = os.path.relpath(path, folder).replace("/", "-")
                    browser.picture(os.path.join(
                        PICTURES, f"{name[:-5]}-{width}.png"))
            seen += 1
    finally:
        browser.close()
    print(f"{seen} pages looked at, {bad} faults")
    return 1 if bad or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
