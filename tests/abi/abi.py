"""The ABI of a shared library, as libabigail reads it, and whether a later
library still serves the programs of an earlier one.

    abi.py record BUILD     writes lib*.abi here, from the libraries in BUILD

What a program built against the earlier header can see must not change.  More
is allowed: functions, enumerators, and members at the end of structs that
begin with struct_size.
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = os.path.join(HERE, "..", "..", "include", "lrgd")
LIBRARIES = ("liblrgd", "liblrgd_run")
# what only the library knows the inside of
OPAQUE = """[suppress_type]
  name_regexp = ^(lr_.*|lrgd_(solver|diagnosis|composite|pool|journal|ask_tell))$
  drop_artifact = yes
"""


def baseline(library):
    with open(os.path.join(HERE, library + ".abi"), encoding="utf-8") as file:
        return file.read()


def dump(path):
    """The ABI of a library with debug information, as text; nothing in it
    depends on where or by which version of a compiler it was built."""
    with tempfile.TemporaryDirectory() as folder:
        opaque = os.path.join(folder, "opaque")
        out = os.path.join(folder, "out")
        with open(opaque, "w", encoding="utf-8") as file:
            file.write(OPAQUE)
        subprocess.run(
            ["abidw", "--no-corpus-path", "--no-comp-dir-path",
             "--no-show-locs", "--no-elf-needed", "--no-architecture",
             "--no-parameter-names", "--exported-interfaces-only",
             "--suppr", opaque, "--out-file", out, path], check=True)
        with open(out, encoding="utf-8") as file:
            text = file.read()
    return re.sub(r" path='[^']*?((?:src|run)/[^']*)'", r" path='\1'", text)


def classes(root):
    return {one.get("name"): one for one in root.iter("class-decl")
            if one.find("data-member") is not None}


def members(one):
    return {m.find("var-decl").get("name"): m
            for m in one.findall("data-member")}


# Lent to callbacks by address, one at a time: programs that know less of them
# are served as long as nothing moves.
LENT = ("lrgd_stored",)


def grows(one):
    return (next(iter(members(one))) == "struct_size"
            or one.get("name") in LENT)


def opaque():
    """Names of structs that the public headers declare and do not define:
    programs hold their addresses alone."""
    text = ""
    for name in sorted(os.listdir(HEADERS)):
        with open(os.path.join(HEADERS, name), encoding="utf-8") as file:
            text += file.read()
    return (set(re.findall(r"^typedef struct (\w+) \w+;", text, re.M))
            - set(re.findall(r"^(?:typedef )?struct (\w+) {", text, re.M)))


def conceal(one):
    """The inside of an opaque struct is the library's."""
    for member in one.findall("data-member"):
        one.remove(member)
    one.set("size-in-bits", "64")


def seen_from(old, new):
    """The new ABI as far as programs of the old one can see it."""
    was, now = ET.fromstring(old), ET.fromstring(new)
    known = classes(was)
    for name, one in classes(now).items():
        if name not in known or not grows(known[name]):
            continue
        size = int(known[name].get("size-in-bits"))
        if int(one.get("size-in-bits")) <= size:
            continue
        for member in one.findall("data-member"):
            if int(member.get("layout-offset-in-bits")) >= size:
                one.remove(member)
        one.set("size-in-bits", str(size))
    values = {e.get("name"): e.get("value") for e in was.iter("enumerator")}
    for one in now.iter("enumerator"):
        name = one.get("name")
        if name.endswith("_COUNT") and name in values:
            one.set("value", values[name])
    return text_of(was), text_of(now)


def text_of(root):
    for name in opaque() & classes(root).keys():
        conceal(classes(root)[name])
    return ET.tostring(root, encoding="unicode")


def differences(old, new):
    """What breaks programs, as abidiff tells it; "" where nothing does."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, text in zip(("old.abi", "new.abi"), seen_from(old, new)):
            paths.append(os.path.join(folder, name))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run(["abidiff", "--no-added-syms", *paths],
                             capture_output=True, text=True)
    if run.returncode == 0:
        return ""
    return run.stdout + run.stderr or f"abidiff ended with {run.returncode}"


def record(build):
    for library in LIBRARIES:
        text = dump(os.path.join(build, library + ".so"))
        path = os.path.join(HERE, library + ".abi")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "record":
        sys.exit(__doc__)
    record(sys.argv[2])
