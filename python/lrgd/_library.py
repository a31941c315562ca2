"""Finds the two shared libraries and loads them.

Knows where they may lie: in the package (a wheel), in the tree it was built
in, beside it under the same prefix, or wherever the system's loader looks.
Does not know what is in them.
"""
from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Iterator

ABI = 2
HERE = Path(__file__).resolve().parent
NAMES = (f"liblrgd.so.{ABI}", f"liblrgd_run.so.{ABI}")


def _age(folder: Path) -> float:
    """Orders builds of one tree: the latest first, what is not built last."""
    library = folder / NAMES[0]
    return -library.stat().st_mtime if library.exists() else 0.0


def _folders() -> Iterator[Path]:
    """The folders of the library, best first; LRGD_LIBDIR overrides all."""
    chosen = os.environ.get("LRGD_LIBDIR")
    if chosen:
        yield Path(chosen)
        return
    yield HERE / "_lib"
    if (HERE.parents[1] / "include" / "lrgd" / "lrgd.h").exists():
        built = [HERE.parents[1] / name for name in ("build", "build-python")]
        yield from sorted(built, key=_age)
    triplet = getattr(sys.implementation, "_multiarch", "")
    for prefix in HERE.parents[1:5]:
        yield prefix / "lib" / triplet
        yield prefix / "lib"


def _load_carried(folder: Path) -> None:
    """What a wheel carries besides: the system's own where it has one, as the
    process may have loaded that already."""
    listed = folder / "carried.txt"
    if not listed.exists():
        return
    for name in listed.read_text().split():
        try:
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            ctypes.CDLL(str(folder / name), mode=ctypes.RTLD_GLOBAL)


def _load() -> tuple[ctypes.CDLL, ctypes.CDLL]:
    for folder in _folders():
        paths = [folder / name for name in NAMES]
        if all(path.exists() for path in paths):
            _load_carried(folder)
            # the first by its path, so that the second finds it by its name
            core, run = (ctypes.CDLL(str(path)) for path in paths)
            return core, run
    try:
        core, run = (ctypes.CDLL(name) for name in NAMES)
        return core, run
    except OSError as error:
        raise ImportError(
            f"{NAMES[0]} and {NAMES[1]} are not to be found: build them with "
            f"`make`, install the package liblrgd{ABI}, or name their folder "
            f"in LRGD_LIBDIR ({error})") from None


def cuda() -> ctypes.CDLL:
    """The library for vectors in a GPU's memory, built where nvcc is found."""
    name = f"liblrgd_cuda.so.{ABI}"
    for folder in _folders():
        if (folder / name).exists():
            return ctypes.CDLL(str(folder / name))
    try:
        return ctypes.CDLL(name)
    except OSError:
        raise ImportError(
            f"{name} is not to be found: build lrgd where nvcc is, or give "
            "x0.cpu()") from None


def command() -> str:
    """The path of the `lrgd` command that goes with the library."""
    import shutil
    beside = [folder / "lrgd" for folder in _folders()]
    beside += [prefix / "bin" / "lrgd" for prefix in HERE.parents[1:5]]
    for path in beside:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("lrgd")
    if found is None:
        raise FileNotFoundError(
            "the lrgd command is not installed: it is in Debian's package "
            "lrgd, or `make` builds it")
    return found


core, run = _load()
