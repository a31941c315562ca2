"""Passes a second of `lrgd minimize mlp`, on the card and here: a part of
beside.py."""
import json
import os
import pathlib
import struct
import subprocess
import tempfile

import numpy as np

HIDDEN = (784, 32)
SECONDS = 4


def draw_images(where):
    """Labelled images of MNIST's sizes, where those are not at hand."""
    rng = np.random.default_rng(3)
    pattern = rng.random((10, 7, 7)).repeat(4, 1).repeat(4, 2)
    for name, n in (("train", 6000), ("t10k", 500)):
        labels = rng.integers(0, 10, n).astype(np.uint8)
        images = 255 * (0.6 * pattern[labels] + 0.4 * rng.random((n, 28, 28)))
        (where / f"{name}-images-idx3-ubyte").write_bytes(
            struct.pack(">IIII", 0x803, n, 28, 28) +
            images.astype(np.uint8).tobytes())
        (where / f"{name}-labels-idx1-ubyte").write_bytes(
            struct.pack(">II", 0x801, n) + labels.tobytes())


def passes_a_second(command, library, images, hidden, device):
    folders = [str(pathlib.Path(library).resolve().parent),
               os.environ.get("LD_LIBRARY_PATH", "")]
    done = subprocess.run(
        [command, "minimize", "mlp", "--data", str(images), "--quiet",
         "--json", "--set", f"hidden={hidden}", "--set", f"device={device}",
         "--set", "accuracy=2", "--max-seconds", str(SECONDS),
         "--max-evals", "900000000"],
        env={**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, folders))},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if not done.stdout:
        raise SystemExit(f"{command}: {done.stderr.decode()}")
    result = json.loads(done.stdout)
    return {"passes a second": result["evaluations"] / result["seconds"],
            "accuracy": result["accuracy"]}


def part_minimize(command, library, mnist):
    found = {"processors": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        images = mnist or pathlib.Path(folder)
        found["images"] = "MNIST" if mnist else "drawn"
        if not mnist:
            draw_images(images)
        for hidden in HIDDEN:
            for device in ("cuda", "cpu"):
                found[f"784-{hidden}-10, {device}"] = passes_a_second(
                    command, library, images, hidden, device)
    return found
