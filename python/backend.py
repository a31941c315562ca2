"""Makes the wheel: the package, the libraries, the command, and what they
need besides.

The build backend of pyproject.toml (PEP 517), of Python's standard library
alone, so that `pip install ./python` asks no network for anything but numpy.
It is our own because Debian 12 has none that could do it: scikit-build-core,
which drives CMake, and auditwheel, which carries libraries along, are not
packaged; meson-python wants Meson; flit, hatchling and poetry make wheels of
Python alone.
Libraries and command are built with CMake from the tree around this folder;
where LRGD_BUILD names a build of it, that is gone on with and only links.
"""
import ast
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARIES = ("lrgd", "lrgd_run")
COMMAND = "lrgd_cli"  # the target of the command
# what every Linux has, as manylinux (PEP 600) counts it
EVERYWHERE = re.compile(
    r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so\.\d+")
SCRIPT = '''#!python
"""The lrgd command, as the package carries it."""
import importlib.util
import os
import sys

package = os.path.dirname(importlib.util.find_spec("lrgd").origin)
os.execv(os.path.join(package, "_lib", "lrgd"), sys.argv)
'''  # whose first line pip makes the environment's own Python
TIME = (1980, 1, 1, 0, 0, 0)  # the same tree makes the same wheel


class UnsupportedOperation(Exception):
    pass


def version():
    text = (ROOT / "include/lrgd/lrgd.h").read_text(encoding="utf-8")
    return ".".join(re.findall(
        r"^#define LRGD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text,
        re.MULTILINE))


# ---- the libraries, and what they carry along ----


def build(scratch):
    """Configures and builds; returns the build's folder."""
    there = os.environ.get("LRGD_BUILD")
    folder = Path(there) if there else scratch
    subprocess.run(
        ["cmake", "-S", ROOT, "-B", folder,
         *([] if there else ["-DCMAKE_BUILD_TYPE=Release"]),
         # what is carried lies beside what needs it, also at the second remove
         "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", "-DCMAKE_INSTALL_RPATH=$ORIGIN",
         "-DCMAKE_SKIP_RPATH=OFF", "-DCMAKE_SKIP_INSTALL_RPATH=OFF",
         "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags,-z,relro,-z,now",
         "-DLRGD_TESTS=OFF", "-DLRGD_BENCH=OFF", "-DLRGD_MPI=OFF",
         "-DLRGD_CUDA=OFF"],
        check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", "--target",
                    *LIBRARIES, COMMAND], check=True)
    return folder


def take(build_folder, to):
    """Copies libraries, under the names they are loaded by, and command."""
    for name in LIBRARIES:
        library = (build_folder / f"lib{name}.so").resolve()
        strip(library, to / soname(library))
    strip(build_folder / "lrgd", to / "lrgd")


def strip(file, to):
    subprocess.run(["strip", "--strip-unneeded", "-o", to, file], check=True)


def dynamic(path, tag):
    """The entries of a library's dynamic section with this tag."""
    told = subprocess.run(["readelf", "-d", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return re.findall(rf"\({tag}\).*\[(.*)\]", told)


def soname(path):
    return dynamic(path, "SONAME")[0]


def resolved(path):
    """Where the loader finds everything a library needs, by name."""
    told = subprocess.run(["ldd", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", told, re.MULTILINE))


def carry(to):
    """Copies what is needed and not every Linux has, and lists what the
    libraries need of it in the order in which it must be loaded."""
    libraries, command = sorted(to.glob("*.so*")), to / "lrgd"
    wanted = needs(libraries)
    everything = {**needs([command]), **wanted}
    for name, path in everything.items():
        shutil.copy(Path(path).resolve(), to / name)
    (to / "carried.txt").write_text("".join(name + "\n" for name in wanted))
    (to / "LICENSES.txt").write_text(licences(everything.values()),
                                     encoding="utf-8")


def needs(files):
    """What they need, by name: where it is, each after what it needs."""
    found, order = {}, {}
    for file in files:
        found.update(resolved(file))

    def visit(name):
        if (name in order or name not in found or EVERYWHERE.fullmatch(name)
                or name in [file.name for file in files]):
            return
        for needed in dynamic(found[name], "NEEDED"):
            visit(needed)
        order[name] = found[name]
    for file in files:
        for needed in dynamic(file, "NEEDED"):
            visit(needed)
    return order


def licences(paths):
    """The copyright notices of what is carried, as Debian keeps them."""
    owners = set()
    for path in paths:
        told = subprocess.run(["dpkg-query", "-S", Path(path).resolve()],
                              text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
        owners.update(re.findall(r"^([^:,\s]+)", told, re.MULTILINE))
    texts = []
    for owner in sorted(owners):
        notice = Path("/usr/share/doc") / owner / "copyright"
        if notice.exists():
            texts.append(f"==== {owner} ====\n\n"
                         + notice.read_text(encoding="utf-8"))
    return "\n\n".join(texts)


# ---- the wheel ----


def metadata(project):
    lines = ["Metadata-Version: 2.1", "Name: lrgd", f"Version: {version()}",
             f"Summary: {project['description']}",
             f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {one}" for one in project["dependencies"]]
    for extra, ones in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {one}; extra == "{extra}"' for one in ones]
    lines += ["Description-Content-Type: text/markdown", "",
              (ROOT / "docs/python.md").read_text(encoding="utf-8")]
    return "\n".join(lines)


def tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


class Wheel:
    """A zip file that knows the checksums of what is in it."""

    def __init__(self, path, info):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.info = info
        self.record = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, TIME)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        self.record.append(
            f"{name},sha256={digest.decode().rstrip('=')},{len(data)}")

    def close(self):
        name = f"{self.info}/RECORD"
        self.record.append(f"{name},,")
        entry = zipfile.ZipInfo(name, TIME)
        entry.external_attr = 0o100644 << 16
        self.zip.writestr(entry, "\n".join(self.record) + "\n")
        self.zip.close()


def read_project():
    """The table [project] of pyproject.toml.  Before 3.11 Python has no reader
    of TOML; what this file uses of it (strings, lists and tables of them) is
    read as Python."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    try:
        import tomllib
        return tomllib.loads(text)["project"]
    except ImportError:
        return read_table(text, "project")


def read_table(text, wanted):
    """Tables of that name and below it, from lines `key = value`."""
    found, table = {}, None
    for line in text.splitlines():
        header = re.fullmatch(r"\[(.+)\]", line.strip())
        pair = re.match(r"([\w-]+) *= *(.+)", line)
        if header:
            names = header.group(1).split(".")
            table = found if names[0] == wanted else None
            for name in names[1:] if table is not None else ():
                table = table.setdefault(name, {})
        elif pair and table is not None:
            value = re.sub(r"(\w+) = ", r'"\1": ', pair.group(2))
            table[pair.group(1)] = ast.literal_eval(value)
    return found


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    project = read_project()
    name = f"lrgd-{version()}-{tag()}.whl"
    info = f"lrgd-{version()}.dist-info"
    with tempfile.TemporaryDirectory() as scratch:
        libraries = Path(scratch) / "lib"
        libraries.mkdir()
        take(build(Path(scratch) / "build"), libraries)
        carry(libraries)
        wheel = Wheel(Path(wheel_directory) / name, info)
        for path in sorted((HERE / "lrgd").glob("*")):
            if path.suffix == ".py" or path.name == "py.typed":
                wheel.add(f"lrgd/{path.name}", path.read_bytes())
        for path in sorted(libraries.iterdir()):
            wheel.add(f"lrgd/_lib/{path.name}", path.read_bytes(),
                      0o755 if path.name == "lrgd" else 0o644)
        wheel.add(f"lrgd-{version()}.data/scripts/lrgd", SCRIPT.encode(),
                  0o755)
        wheel.add(f"{info}/METADATA", metadata(project).encode())
        wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        wheel.add(f"{info}/WHEEL", (
            "Wheel-Version: 1.0\nGenerator: lrgd\nRoot-Is-Purelib: false\n"
            f"Tag: {tag()}\n").encode())
        wheel.close()
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("the source is the whole tree: git archive it")
