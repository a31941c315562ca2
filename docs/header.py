"""Turns a public header into a page: its sections become headings, each
declaration keeps the comment that stands above it.

    header.py include/lrgd/lrgd.h >made/lrgd.md
"""
import re
import sys


def blocks(text):
    """(kind, comment, code) in order: a section's title, or a part of one."""
    for chunk in re.split(r"\n\s*\n", text):
        match = re.match(r"/\*(.*?)\*/\n?", chunk, re.S)
        words = match.group(1) if match else ""
        rest = chunk[match.end():] if match else chunk
        if match and "----" in words:
            yield "section", words.replace("----", "").strip(), rest
        else:
            yield "part", words, rest


def prose(comment):
    """A comment without its stars; indented lines stay as they are, and an
    angle bracket is no tag."""
    lines = [re.sub(r"^ ?\* ?", "", line.rstrip()) for line
             in comment.strip().splitlines()]
    out, listing = [], False
    for line in lines:
        indented = line.startswith("  ") or re.match(r"\w+  +\S", line)
        if indented and not listing:
            out += ["", "```text"]
        if not indented and listing:
            out += ["```", ""]
        listing = bool(indented)
        out.append(line if listing else line.replace("<", r"\<"))
    if listing:
        out.append("```")
    return "\n".join(out)


def names(code):
    """What a piece of code declares to users."""
    found = re.findall(r"\b(lrgd_\w+)\s*\((?!\*)", code)
    found += re.findall(r"\(\*(lrgd_\w+)\)\s*\(", code)
    found += re.findall(r"typedef (?:struct|enum) (lrgd_\w+)", code)
    for body in re.findall(r"\benum \w* ?\{(.*?)\}", code, re.S):
        found += re.findall(r"\bLRGD_\w+",
                            re.sub(r"/\*.*?\*/", "", body, flags=re.S))
    return list(dict.fromkeys(found))


def is_scaffold(code):
    """Guards, includes, C++ braces: of no interest to a reader."""
    kept = [line for line in code.splitlines()
            if line.strip() and not re.match(
                r'\s*#|extern "C"|[{}]$|\s*/\*.*\*/$', line)]
    return not kept


def page(path, text):
    print(f"# <{path.split('include/')[-1]}>\n")
    first = True
    for kind, words, code in blocks(text):
        if kind == "section":
            title, _, more = words.partition("\n")
            print(f"\n## {title[0].upper()}{title[1:].rstrip()}\n")
            print(f"{prose(more)}\n")
        elif words and (first or not code.strip() or not is_scaffold(code)):
            print(f"\n{prose(words)}\n")
        first = False
        if code.strip() and not is_scaffold(code):
            for name in names(code):
                print(f"```{{index}} {name}\n```")
            print(f"\n```c\n{code.strip()}\n```\n")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        page(sys.argv[1], source.read())
