#!/usr/bin/env python3
"""beside.py LIBRARY [--mnist DIR] [--command LRGD] [--write FILE] [--json FILE]
[--parts a,b,..]: liblrgd_cuda beside PyTorch and JAX, on one card, in one run;
--write: the figures of docs/gpu.md.

Parts: slopes (blocks of slopes of a 784-784-10 network, batch 200), training
(that network, 20 epochs of MNIST), vectors (the operations of a space at
p = 10^8), minimize (`lrgd minimize mlp` on the card and here).  Times are
medians of 50, by events on the card.
"""
import argparse
import ctypes
import gzip
import importlib.metadata
import json
import pathlib
import statistics
import struct
import sys
import time

import numpy as np
import torch

import figures
import minimize
import vectors
from card import TIMES, Batch, Error, check, median_us

WIDTHS = [784, 784, 10]
BATCH = 200
P = 784 * 785 + 10 * 785
TF32, FP32 = 0, 1


SHUFFLE = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_size_t,
                           ctypes.POINTER(ctypes.c_uint32), ctypes.c_void_p)
PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, ctypes.c_double,
                            ctypes.c_void_p)


class Training(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("rate", ctypes.c_double),
                ("epochs", ctypes.c_size_t), ("batch", ctypes.c_size_t),
                ("shuffle", SHUFFLE), ("progress", PROGRESS),
                ("user", ctypes.c_void_p)]


def stream_now():
    return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


class Network:
    def __init__(self, lib, precision, images, slopes, widths=WIDTHS,
                 activation=0):
        self.lib, self.handle, error = lib, ctypes.c_void_p(), Error()
        array = (ctypes.c_size_t * len(widths))(*widths)
        check(lib.lrgd_cuda_mlp_create(
            ctypes.byref(self.handle), ctypes.c_size_t(len(widths)), array,
            activation, precision, ctypes.c_size_t(images),
            ctypes.c_size_t(slopes), ctypes.byref(error)), error)

    def slopes(self, x, images, labels, U, k, answers, tangents=None):
        error = Error()
        batch = Batch(len(labels), images.data_ptr(), labels.data_ptr())
        check(self.lib.lrgd_cuda_mlp_slopes(
            self.handle, ctypes.c_void_p(x.data_ptr()), ctypes.byref(batch),
            ctypes.c_size_t(k), ctypes.c_void_p(U.data_ptr()),
            ctypes.c_size_t(U.stride(0)),
            ctypes.c_void_p(answers.data_ptr()),
            ctypes.c_void_p(tangents.data_ptr() if tangents is not None
                            else None),
            stream_now(), ctypes.byref(error)), error)

    def close(self):
        self.lib.lrgd_cuda_mlp_destroy(ctypes.byref(self.handle))


def reference(widths, relu, x, images, labels, U):
    """Loss and slopes in double precision, by forward-mode formulas."""
    x, U, A = x.double(), U.double(), images.double()
    D = torch.zeros(len(U), *A.shape, dtype=torch.float64, device=A.device)
    at = 0
    for layer, (inside, out) in enumerate(zip(widths, widths[1:])):
        W = x[at:at + inside * out].view(out, inside)
        dW = U[:, at:at + inside * out].reshape(-1, out, inside)
        b = x[at + inside * out:at + (inside + 1) * out]
        db = U[:, at + inside * out:at + (inside + 1) * out]
        at += (inside + 1) * out
        D = A @ dW.transpose(1, 2) + D @ W.T + db[:, None]
        A = A @ W.T + b
        if layer + 2 < len(widths):
            if relu:
                D, A = D * (A > 0), A.clamp(min=0)
            else:
                A = torch.tanh(A)
                D = D * (1 - A * A)
    right = torch.nn.functional.one_hot(labels.long(), widths[-1])
    f = torch.nn.functional.cross_entropy(A, labels.long())
    E = (torch.softmax(A, 1) - right) / len(A)
    return f, (D * E).sum((1, 2)), D


def padded(k, p):
    """k directions of p numbers whose rows begin at multiples of 64."""
    room = torch.zeros(k, (p + 63) // 64 * 64, device="cuda")
    room[:, :p] = torch.randn(k, p, device="cuda")
    return room


def correctness(lib, count=40):
    """The worst relative errors over random networks."""
    worst = {"TF32": 0.0, "FP32": 0.0, "tangents": 0.0}
    rng = np.random.default_rng(11)
    shapes = [WIDTHS, [784, 32, 10], [100, 130, 7], [64, 1, 2], [20, 300, 16],
              [8, 113, 3], [30, 40, 50, 6], [12, 5], [784, 300, 100, 10]]
    for turn in range(count):
        widths = shapes[turn % len(shapes)]
        n, k = int(rng.integers(1, 400)), int(rng.integers(1, 30))
        relu = turn % 3 != 2
        torch.manual_seed(turn)
        p = sum((a + 1) * b for a, b in zip(widths, widths[1:]))
        x = torch.randn(p, device="cuda") * (1 / max(widths)) ** 0.5
        images = torch.rand(n, widths[0], device="cuda")
        labels = torch.randint(0, widths[-1], (n,), device="cuda",
                               dtype=torch.uint8)
        U = padded(k, p)
        f, d, D = reference(widths, relu, x, images, labels, U[:, :p])
        for name, precision in (("TF32", TF32), ("FP32", FP32)):
            net = Network(lib, precision, n, k, widths, 0 if relu else 1)
            answers = torch.full((k + 1,), float("nan"), dtype=torch.float64,
                                 device="cuda")
            moved = torch.full((k, n, widths[-1]), float("nan"),
                               device="cuda")
            for _ in range(2):  # the second finds the counters as left
                net.slopes(x, images, labels, U, k, answers, moved)
            torch.cuda.synchronize()
            want = torch.cat([f[None], d])
            error = float((answers - want).norm() / want.norm())
            if not error <= worst[name]:
                worst[name] = error
                print(name, widths, "n", n, "k", k, "relu", relu,
                      f"error {error:.2e}", file=sys.stderr, flush=True)
            if name == "FP32":
                off = float((moved - D).norm() / D.norm())
                worst["tangents"] = max(worst["tangents"], off)
            net.close()
    return worst


def slopes_of_torch(x, images, labels, U):
    def loss(v):
        W1, b1 = v[:614656].view(784, 784), v[614656:615440]
        W2, b2 = v[615440:623280].view(10, 784), v[623280:]
        hidden = torch.relu(images @ W1.T + b1)
        return torch.nn.functional.cross_entropy(hidden @ W2.T + b2, labels)

    def slope(u):
        return torch.func.jvp(loss, (x,), (u,))[1]

    return torch.func.vmap(slope)(U)


def jax_version():
    try:
        return importlib.metadata.version("jax")
    except importlib.metadata.PackageNotFoundError:
        return None


def jax_us(x, images, labels, U):
    """JAX, jit of vmap of jvp; None where it is not installed."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    x, images, U = (jnp.asarray(a.cpu().numpy()) for a in (x, images, U))
    labels = jnp.asarray(labels.cpu().numpy())

    def loss(v):
        W1, b1 = v[:614656].reshape(784, 784), v[614656:615440]
        W2, b2 = v[615440:623280].reshape(10, 784), v[623280:]
        scores = jnp.maximum(images @ W1.T + b1, 0) @ W2.T + b2
        return -jnp.mean(jax.nn.log_softmax(scores)[
            jnp.arange(len(labels)), labels])

    with jax.default_matmul_precision("tensorfloat32"):
        work = jax.jit(lambda v, D: jax.vmap(
            lambda u: jax.jvp(loss, (v,), (u,)))(D))
        for _ in range(5):
            work(x, U)[1].block_until_ready()
        # many queued calls at once, so that the host's part is hidden
        times = []
        for _ in range(TIMES):
            begin = time.perf_counter()
            for _ in range(20):
                out = work(x, U)
            out[1].block_until_ready()
            times.append(1e6 * (time.perf_counter() - begin) / 20)
    return statistics.median(times)


def part_slopes(lib, compiled=True):
    found = {"errors": correctness(lib)}
    torch.manual_seed(5)
    x = torch.randn(P, device="cuda") * 0.05
    images = torch.rand(BATCH, 784, device="cuda")
    labels = torch.randint(0, 10, (BATCH,), device="cuda", dtype=torch.uint8)
    for k in (10, 100):
        U = padded(k, P)
        # copies to take in turn, so that the cache does not hold them
        copies = [U.clone() for _ in range(max(2, 600 // k))]
        row = {}
        answers = torch.zeros(k + 1, dtype=torch.float64, device="cuda")
        for name, precision in (("lrgd TF32", TF32), ("lrgd FP32", FP32)):
            net = Network(lib, precision, BATCH, k)
            row[name] = median_us(
                lambda: net.slopes(x, images, labels, U, k, answers))
            if precision == TF32:
                turn = iter(range(10 ** 9))
                row[name + ", cold"] = median_us(
                    lambda: net.slopes(x, images, labels,
                                       copies[next(turn) % len(copies)], k,
                                       answers), graph=False)
            net.close()
        W = U[:, :614656].reshape(k, 784, 784).contiguous()
        wide = W.view(k * 784, 784)
        for name, tf32 in (("first product TF32", True),
                           ("first product FP32", False)):
            torch.backends.cuda.matmul.allow_tf32 = tf32
            one = median_us(lambda: torch.mm(images, wide.T))
            many = median_us(lambda: torch.matmul(images, W.transpose(1, 2)))
            row[name] = min(one, many)
        row["reading the tangents once"] = median_us(lambda: wide.sum())
        torch.backends.cuda.matmul.allow_tf32 = True
        V, long = U[:, :P].contiguous(), labels.long()
        try:
            if compiled:
                work = torch.compile(slopes_of_torch)
                row["PyTorch compiled"] = median_us(
                    lambda: work(x, images, long, V), graph=False)
        except Exception as error:  # its compiler may lack what it needs here
            print("PyTorch's compiler:", str(error).splitlines()[0])
        row["PyTorch"] = median_us(
            lambda: slopes_of_torch(x, images, long, V), graph=False)
        row["JAX jit"] = jax_us(x, images, long, V)
        found[f"k = {k}, microseconds"] = row
    return found


def idx(path):
    data = gzip.open(path).read() if path.suffix == ".gz" else \
        path.read_bytes()
    dimensions = struct.unpack(">I", data[:4])[0] & 255
    shape = struct.unpack(f">{dimensions}I", data[4:4 + 4 * dimensions])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions) \
        .reshape(shape)


def read_mnist(where):
    def one(name):
        path = where / name
        return idx(path if path.exists() else where / (name + ".gz"))
    return [one(name) for name in
            ("train-images-idx3-ubyte", "train-labels-idx1-ubyte",
             "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")]


def on_card(images, labels):
    flat = images.reshape(len(images), -1).astype(np.float32) / 255
    return torch.from_numpy(flat).cuda(), torch.from_numpy(
        labels.copy()).cuda()


def glorot(seed):
    rng = np.random.default_rng(seed)
    parts = []
    for inside, out in zip(WIDTHS, WIDTHS[1:]):
        most = (6 / (inside + out)) ** 0.5
        parts += [rng.uniform(-most, most, inside * out), np.zeros(out)]
    return torch.from_numpy(np.concatenate(parts).astype(np.float32)).cuda()


def train_torch(images, labels, epochs):
    model = torch.nn.Sequential(torch.nn.Linear(784, 784), torch.nn.ReLU(),
                                torch.nn.Linear(784, 10)).cuda()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)
    labels = labels.long()
    for _ in range(epochs):
        order = torch.randperm(len(images), device="cuda")
        for first in range(0, len(images), BATCH):
            some = order[first:first + BATCH]
            optimiser.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(
                model(images[some]), labels[some]).backward()
            optimiser.step()
    torch.cuda.synchronize()
    return model


def part_training(lib, where, epochs=20):
    train_images, train_labels, test_images, test_labels = read_mnist(where)
    images, labels = on_card(train_images, train_labels)
    tests, test_labels = on_card(test_images, test_labels)
    found = {"epochs": epochs}
    net = Network(lib, FP32, 1000, 0)
    rng = np.random.default_rng(1)

    @SHUFFLE
    def shuffle(_epoch, count, order, _user):
        np.ctypeslib.as_array(order, (count,))[:] = rng.permutation(count)

    error, how = Error(), Training()
    lib.lrgd_cuda_training_init(ctypes.byref(how),
                                ctypes.c_size_t(ctypes.sizeof(how)))
    how.epochs, how.shuffle = epochs, shuffle
    batch = Batch(len(labels), images.data_ptr(), labels.data_ptr())
    for turn in range(3):
        x = glorot(turn)
        begin = time.perf_counter()
        check(lib.lrgd_cuda_mlp_train(
            net.handle, ctypes.byref(how), ctypes.byref(batch),
            ctypes.c_void_p(x.data_ptr()), ctypes.byref(error)), error)
        seconds = time.perf_counter() - begin
        right = ctypes.c_size_t()
        batch_of_tests = Batch(len(test_labels), tests.data_ptr(),
                               test_labels.data_ptr())
        check(lib.lrgd_cuda_mlp_right(
            net.handle, ctypes.c_void_p(x.data_ptr()),
            ctypes.byref(batch_of_tests), ctypes.byref(right),
            ctypes.byref(error)), error)
        found[f"lrgd, seed {turn}"] = {
            "seconds": seconds, "accuracy": right.value / len(test_labels)}
    net.close()
    train_torch(images, labels, 1)
    begin = time.perf_counter()
    model = train_torch(images, labels, epochs)
    seconds = time.perf_counter() - begin
    with torch.no_grad():
        right = (model(tests).argmax(1) == test_labels.long()).sum().item()
    found["PyTorch eager"] = {"seconds": seconds,
                              "accuracy": right / len(test_labels)}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--mnist", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--command", type=pathlib.Path,
                        help="lrgd, for the part minimize")
    parser.add_argument("--parts", default="slopes,training,vectors,minimize")
    parser.add_argument("--not-compiled", action="store_true",
                        help="without torch.compile, which takes a minute")
    given = parser.parse_args()
    lib = ctypes.CDLL(given.library, mode=ctypes.RTLD_GLOBAL)
    lib.lrgd_cuda_space.restype = ctypes.c_void_p
    lib.lrgd_cuda_space.argtypes = [ctypes.c_size_t, ctypes.c_int,
                                    ctypes.c_void_p]
    found = {"card": torch.cuda.get_device_name(), "torch": torch.__version__,
             "jax": jax_version()}
    for part in given.parts.split(","):
        if part == "slopes":
            found[part] = part_slopes(lib, not given.not_compiled)
        elif part == "training" and given.mnist:
            found[part] = part_training(lib, given.mnist)
        elif part == "vectors":
            found[part] = vectors.part_vectors(lib)
        elif part == "minimize" and given.command:
            found[part] = minimize.part_minimize(
                given.command, given.library, given.mnist)
        print(json.dumps({part: found.get(part)}, indent=1), flush=True)
        if given.json:
            given.json.write_text(json.dumps(found, indent=1) + "\n")
        if given.write:
            given.write.write_text(figures.page(found))


if __name__ == "__main__":
    sys.exit(main())
