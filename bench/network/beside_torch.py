"""`lrgd reproduce mnist` beside the same experiment in PyTorch: in turns, in
one run, both with the best BLAS kernels the machine has and as many threads.

usage: beside_torch.py LRGD DATA [EPOCHS [TURNS]]

Prints the seconds of each turn, on the clock and of the processor, and the
ratio of the best; exit status 1 where lrgd takes more than 0.8 of the time."""
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 0.8


def measure(command, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, stdout=subprocess.PIPE, check=True,
                             env=environment, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(run.stdout)
    result["processor"] = (after.ru_utime - before.ru_utime
                           + after.ru_stime - before.ru_stime)
    return result


def main():
    lrgd, data = map(os.path.abspath, sys.argv[1:3])
    epochs = sys.argv[3] if len(sys.argv) > 3 else "20"
    turns = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    threads = len(os.sched_getaffinity(0))
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads),
                       OMP_NUM_THREADS=str(threads))
    ours = [lrgd, "reproduce", "mnist", "--data", data, "--epochs", epochs,
            "--json", "--quiet"]
    theirs = ["/usr/bin/python3", os.path.join(HERE, "torch_mnist.py"), data,
              epochs, str(threads)]
    kernels = None
    best = {"lrgd": [], "torch": []}
    for turn in range(turns):
        one = measure(ours, environment)
        if kernels is None:  # what lrgd chose for itself, torch is given
            kernels = one["blas_kernels"]
            if kernels != "unknown":
                environment["OPENBLAS_CORETYPE"] = kernels
        two = measure(theirs, environment)
        for name, run in (("lrgd", one), ("torch", two)):
            best[name].append((run["seconds"], run["processor"]))
            print(f"{name:6} turn {turn + 1}: {run['seconds']:7.1f} s, "
                  f"{run['processor']:7.1f} s of processor, accuracy "
                  f"{100 * run['accuracy']:.2f} %, ten largest "
                  f"{100 * run['top10_energy']:.1f} %, kernels "
                  f"{run['blas_kernels']}", flush=True)
    clock, processor = (min(t[i] for t in best["lrgd"])
                        / min(t[i] for t in best["torch"]) for i in (0, 1))
    print(f"lrgd / torch, {epochs} epochs, {threads} threads, best of {turns}: "
          f"{clock:.2f} on the clock, {processor:.2f} of the processor "
          f"(at most {LIMIT})")
    sys.exit(clock > LIMIT)


if __name__ == "__main__":
    main()
