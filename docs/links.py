"""Looks for links of built pages that lead nowhere, or out of the site.

    links.py FOLDER
"""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The places of a page and what it points to."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places.update(given[key] for key in ("id", "name") if key in given)
        if tag in ("a", "img", "link", "script"):
            self.links += [given[key] for key in ("href", "src")
                           if given.get(key)]


def main(folder):
    pages = {}
    for here, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".html"):
                path = os.path.normpath(os.path.join(here, name))
                pages[path] = Page(path)
    dead = 0
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else os.path.normpath(
                os.path.join(os.path.dirname(path), unquote(parts.path)))
            if not os.path.exists(target) or (
                    parts.fragment and target in pages
                    and unquote(parts.fragment) not in pages[target].places):
                print(f"{path}: {link} leads nowhere", file=sys.stderr)
                dead += 1
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
