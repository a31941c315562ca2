"""The experiment of `lrgd reproduce mnist` in PyTorch: same data, network,
start, optimiser, batches, perturbations; one JSON object on standard output.

Stops itself once PyTorch is loaded: who started it lets it go on.

usage: torch_mnist.py DATA EPOCHS THREADS"""
import ctypes
import json
import os
import signal
import sys
import time

import numpy
import torch


def idx(folder, name, head):
    with open(os.path.join(folder, name), "rb") as file:
        return numpy.frombuffer(file.read(), numpy.uint8)[head:]


def load(folder, stem):
    images = idx(folder, stem + "-images-idx3-ubyte", 16).reshape(-1, 784)
    labels = idx(folder, stem + "-labels-idx1-ubyte", 8)
    return (torch.from_numpy(images.astype(numpy.float32) / 255),
            torch.from_numpy(labels.astype(numpy.int64)))


def network():
    net = torch.nn.Sequential(torch.nn.Linear(784, 784), torch.nn.ReLU(),
                              torch.nn.Linear(784, 10))
    for layer in (net[0], net[2]):
        torch.nn.init.xavier_uniform_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    return net


def train(net, images, labels, epochs):
    loss = torch.nn.CrossEntropyLoss()
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-7)
    for _ in range(epochs):
        order = torch.randperm(len(images))
        for some in order.split(200):
            optimiser.zero_grad(set_to_none=True)
            loss(net(images[some]), labels[some]).backward()
            optimiser.step()


def spectrum(net, images, labels, n=100, tau=0.2):
    loss = torch.nn.CrossEntropyLoss(reduction="sum")
    best = [p.detach().clone() for p in net.parameters()]
    size = sum(p.numel() for p in best)
    gradients = torch.empty(n, size)
    for row in gradients:
        with torch.no_grad():
            for p, at in zip(net.parameters(), best):
                p.copy_(at + tau * torch.randn_like(at))
        net.zero_grad(set_to_none=True)
        loss(net(images), labels).backward()
        torch.cat([p.grad.flatten() for p in net.parameters()], out=row)
    energy = torch.linalg.eigvalsh((gradients @ gradients.T).double()).flip(0)
    return (energy / energy.sum()).tolist()


def kernels():
    try:
        name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
        name.restype = ctypes.c_char_p
        return name().decode()
    except (OSError, AttributeError):
        return "unknown"


def main():
    folder, epochs, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.kill(os.getpid(), signal.SIGSTOP)
    begin = time.process_time()
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    images, labels = load(folder, "train")
    test, answers = load(folder, "t10k")
    net = network()
    train(net, images, labels, epochs)
    with torch.no_grad():
        right = (net(test).argmax(1) == answers).float().mean().item()
    energy = spectrum(net, test[:200], answers[:200])
    print(json.dumps({
        "accuracy": right, "top10_energy": sum(energy[:10]),
        "top20_energy": sum(energy[:20]),
        "processor": time.process_time() - begin,
        "threads": torch.get_num_threads(), "blas_kernels": kernels(),
        "torch": torch.__version__}))


if __name__ == "__main__":
    main()
