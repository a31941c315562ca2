"""What the tests of programs and journals share.

RUN_TESTS names the folder with run-driver, run-look and run-sim; SOAK=1 makes
the long versions run."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.environ.get("RUN_TESTS", "/tmp/build-run/tests")
DRIVER = os.path.join(BUILT, "run-driver")
LOOK = os.path.join(BUILT, "run-look")
SIM = os.path.join(BUILT, "run-sim")
SOAK = bool(os.environ.get("SOAK"))
SANITIZED = bool(os.environ.get("RUN_SANITIZED"))


def words(**settings):
    return [f"{key}={value}" for key, value in settings.items()]


def start(prefix=(), env=None, cwd=None, **settings):
    if prefix and SANITIZED:  # leaks cannot be looked for under strace
        env = {**(env or os.environ), "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.Popen(
        [*prefix, DRIVER, *words(**settings)], env=env, cwd=cwd, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace")


def drive(prefix=(), env=None, cwd=None, limit_s=600, **settings):
    """Runs the driver to its end: its JSON, and "exit"."""
    process = start(prefix, env, cwd, **settings)
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    answer = json.loads(out) if out.strip() else {}
    answer["exit"] = process.returncode
    answer["stderr"] = err
    return answer


def look(journal):
    process = subprocess.run([LOOK, journal], text=True, timeout=600,
                             stdout=subprocess.PIPE)
    answer = json.loads(process.stdout)
    answer["exit"] = process.returncode
    return answer


def environment(**more):
    return {**os.environ, **{k: str(v) for k, v in more.items()}}


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pid, seconds=3):
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)


def wait_for(condition, seconds=5):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.005)


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lrgd-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.end_simulators)
        self.journal = self.path("run.db")

    def path(self, name):
        return os.path.join(self.folder, name)

    def running(self):
        """Simulators that count in this folder: they and nobody else have its
        path in their environment, and the run's id."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    marks = file.read()
            except OSError:  # ended, or another user's
                continue
            if (b"LRGD_RUN_ID=" in marks and
                    os.fsencode(self.path("count")) in marks):
                found.append(int(pid))
        return [pid for pid in found if alive(pid)]

    def end_simulators(self):
        """What ran when a run was killed and nothing went on with it."""
        for pid in self.running():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def counted(self):
        """An environment in which simulators count what they were asked."""
        return environment(SIM_COUNT=self.path("count"))

    def size(self, name):
        try:
            return os.path.getsize(self.path(name))
        except FileNotFoundError:
            return 0

    def count(self):
        return self.size("count")

    def acked(self):
        return self.size("ack")


def interrupt(process):
    process.send_signal(signal.SIGINT)
