"""`lrgd reproduce mnist` beside the same experiment in PyTorch, in one run, on
the same cores, both with the best BLAS kernels the machine has.

usage: beside_torch.py LRGD DATA [EPOCHS [SLICE]]

PyTorch has threads of its own (OpenMP) beside those of OpenBLAS, and they get
in each other's way: the default, as many of both as there are cores, is the
slowest.  One epoch is tried with each way to share the cores, and the fastest
is the one that lrgd, with OpenBLAS's threads alone, is compared with.

Other work on the machine slows a run down, and not evenly.  So the two go on
by turns of SLICE seconds (5), one of them stopped while the other runs, and
lrgd's experiment begins anew until PyTorch's is done: both see the same hours.
A run's time is the sum of its own slices.  Loading PyTorch is not counted.

Prints each run; exit status 1 where lrgd takes more than 0.8 of the time."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 0.8


class Run:
    """A program that stops itself when it is ready, and then goes on only
    while it is told to."""

    def __init__(self, command, environment):
        self.folder = tempfile.TemporaryDirectory()
        self.output = tempfile.TemporaryFile()
        self.child = subprocess.Popen(command, stdout=self.output,
                                      env=environment, cwd=self.folder.name)
        self.seconds = 0.0
        self.result = None
        _, status = os.waitpid(self.child.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            sys.exit(f"beside_torch: {command[0]} did not start")

    def go_on(self, seconds):
        """True where it has come to its end; stopped otherwise."""
        begin = time.monotonic()
        os.kill(self.child.pid, signal.SIGCONT)
        ended = False
        while not ended and time.monotonic() - begin < seconds:
            time.sleep(0.01)
            pid, status, usage = os.wait4(self.child.pid, os.WNOHANG)
            ended = pid != 0
        if not ended:
            os.kill(self.child.pid, signal.SIGSTOP)
        self.seconds += time.monotonic() - begin
        if ended:
            self.finish(status, usage)
        return ended

    def finish(self, status, usage):
        self.child.returncode = os.waitstatus_to_exitcode(status)
        if self.child.returncode != 0:
            sys.exit(f"beside_torch: {self.child.args[0]} failed")
        self.output.seek(0)
        self.result = json.load(self.output)
        self.result["clock"] = self.seconds
        self.result.setdefault("processor", usage.ru_utime + usage.ru_stime)
        self.folder.cleanup()

    def give_up(self):
        if self.result is None:
            self.child.kill()
            self.child.wait()
            self.folder.cleanup()


def show(name, run):
    print(f"{name:6} {run['clock']:7.1f} s, {run['processor']:7.1f} s of "
          f"processor, accuracy {100 * run['accuracy']:.2f} %, ten largest "
          f"{100 * run['top10_energy']:.1f} %, kernels {run['blas_kernels']}",
          flush=True)


def in_turns(ours, theirs, seconds):
    """PyTorch's run, and those of lrgd that ended before it."""
    torch, lrgd, done = Run(*theirs), Run(*ours), []
    while True:
        if lrgd.go_on(seconds):
            show("lrgd", lrgd.result)
            done.append(lrgd.result)
            lrgd = Run(*ours)
        if torch.result is None and torch.go_on(seconds):
            show("torch", torch.result)
        if torch.result is not None and done:
            lrgd.give_up()
            return torch.result, done


def torch_run(data, epochs, threads, environment):
    """Command and environment of PyTorch with (OpenMP, OpenBLAS) threads."""
    command = ["/usr/bin/python3", os.path.join(HERE, "torch_mnist.py"), data,
               epochs, str(threads[0])]
    return command, dict(environment, OMP_NUM_THREADS=str(threads[0]),
                         OPENBLAS_NUM_THREADS=str(threads[1]))


def best_sharing(data, cores, environment):
    best, seconds = None, float("inf")
    for threads in sorted({(cores, cores), (cores, 1), (1, cores), (1, 1)}):
        run = Run(*torch_run(data, "1", threads, environment))
        run.go_on(float("inf"))
        print(f"torch, one epoch, {threads[0]} threads of its own, "
              f"{threads[1]} of OpenBLAS: {run.seconds:.1f} s", flush=True)
        if run.seconds < seconds:
            best, seconds = threads, run.seconds
    return best


def best_kernels(lrgd):
    """What lrgd chooses for itself, both are given."""
    with tempfile.TemporaryDirectory() as folder:
        tiny = subprocess.run([lrgd, "reproduce", "mnist", "--data", "tiny",
                               "--epochs", "0", "--set", "n=2", "--json",
                               "--quiet"], stdout=subprocess.PIPE, check=True,
                              cwd=folder)
    return json.loads(tiny.stdout)["blas_kernels"]


def main():
    lrgd, data = map(os.path.abspath, sys.argv[1:3])
    epochs = sys.argv[3] if len(sys.argv) > 3 else "20"
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 5.0
    cores = len(os.sched_getaffinity(0))
    environment = dict(os.environ)
    kernels = best_kernels(lrgd)
    if kernels != "unknown":
        environment["OPENBLAS_CORETYPE"] = kernels
    ours = ["/bin/sh", "-c", 'kill -STOP $$; exec "$@"', "sh", lrgd,
            "reproduce", "mnist", "--data", data, "--epochs", epochs,
            "--json", "--quiet"]
    sharing = best_sharing(data, cores, environment)
    torch, done = in_turns(
        (ours, dict(environment, OPENBLAS_NUM_THREADS=str(cores))),
        torch_run(data, epochs, sharing, environment), seconds)
    clock, processor = (sum(run[what] for run in done) / len(done)
                        / torch[what] for what in ("clock", "processor"))
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    print(f"lrgd / torch, {epochs} epochs, {cores} cores, turns of "
          f"{seconds:g} s, mean of {len(done)} runs of lrgd: {clock:.2f} on "
          f"the clock, {processor:.2f} of the processor (at most {LIMIT}); "
          f"load of the machine {load}")
    sys.exit(clock > LIMIT)


if __name__ == "__main__":
    main()
