"""Makes the wheel: the package, the libraries, and what they need besides.

The build backend of pyproject.toml (PEP 517), of Python's standard library
alone, so that `pip install ./python` asks no network for anything but numpy.
The libraries are built with CMake from the tree around this folder; where
LRGD_BUILD names a build of it, they are taken from there.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARIES = ("lrgd", "lrgd_run")
# what every Linux has, as manylinux (PEP 600) counts it
EVERYWHERE = re.compile(
    r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so\.\d+")
TIME = (1980, 1, 1, 0, 0, 0)  # the same tree makes the same wheel


class UnsupportedOperation(Exception):
    pass


def version():
    text = (ROOT / "include/lrgd/lrgd.h").read_text(encoding="utf-8")
    return ".".join(re.findall(
        r"^#define LRGD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text,
        re.MULTILINE))


# ---- the libraries, and what they carry along ----


def build(folder):
    """Configures and builds the two libraries; returns the build's folder."""
    there = os.environ.get("LRGD_BUILD")
    if there:
        return Path(there)
    subprocess.run(
        ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
         # the place it is built in means nothing elsewhere
         "-DCMAKE_SKIP_RPATH=ON", "-DLRGD_TESTS=OFF", "-DLRGD_BENCH=OFF",
         "-DLRGD_MPI=OFF"],
        check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", "--target",
                    *LIBRARIES], check=True)
    return folder


def take(build_folder, to):
    """Copies the libraries under the names they are loaded by."""
    for name in LIBRARIES:
        library = (build_folder / f"lib{name}.so").resolve()
        to_file = to / soname(library)
        shutil.copy(library, to_file)


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
    """Copies what the libraries need and not every Linux has, and lists it in
    the order in which it must be loaded."""
    ours = sorted(to.glob("*.so*"))
    found = {}
    for library in ours:
        found.update(resolved(library))
    order = []

    def visit(name):
        if (name in order or name not in found or EVERYWHERE.fullmatch(name)
                or (to / name) in ours):
            return
        for needed in dynamic(found[name], "NEEDED"):
            visit(needed)
        order.append(name)
    for library in ours:
        for needed in dynamic(library, "NEEDED"):
            visit(needed)
    for name in order:
        shutil.copy(Path(found[name]).resolve(), to / name)
    (to / "carried.txt").write_text("".join(name + "\n" for name in order))
    (to / "LICENSES.txt").write_text(licences(found[name] for name in order),
                                     encoding="utf-8")


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

    def add(self, name, data):
        entry = zipfile.ZipInfo(name, TIME)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o100644 << 16
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


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    with open(HERE / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
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
            wheel.add(f"lrgd/_lib/{path.name}", path.read_bytes())
        wheel.add(f"{info}/METADATA", metadata(project).encode())
        wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        wheel.add(f"{info}/WHEEL", (
            "Wheel-Version: 1.0\nGenerator: lrgd\nRoot-Is-Purelib: false\n"
            f"Tag: {tag()}\n").encode())
        wheel.close()
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("the source is the whole tree: git archive it")
