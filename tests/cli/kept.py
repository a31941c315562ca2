"""A run that is kept in a journal, as several tests have it."""
import hashlib
import json
import os
import subprocess
import time

from harness import Case, LRGD, worker


class Kept(Case):
    """A run of a worker that counts what it was asked, over all sessions."""
    dim = 10
    options = ("--method", "lrgd", "--rank", 2)

    def command(self, *more, delay=0, oracle="value", jobs=1, verb="minimize"):
        flag = "--program" if "program" in more else "--worker"
        more = [word for word in more if word != "program"]
        what = [flag, worker("tally.py", self.path("count"), delay, oracle),
                "--jobs", jobs]
        if verb == "resume":
            return ["resume", "run.db", *what, *more]
        return ["minimize", *what, "--oracle", oracle, "--dim", self.dim,
                *self.options, "--journal", "run.db", *more]

    def asked(self):
        try:
            return os.path.getsize(self.path("count"))
        except OSError:
            return 0

    def forget(self):
        for name in os.listdir(self.folder):
            os.remove(self.path(name))

    def start(self, command):
        return subprocess.Popen(
            [LRGD, *map(str, command), "--json", "--quiet"], text=True,
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL)

    def wait_for(self, asked, process):
        end = time.monotonic() + 60
        while self.asked() < asked and time.monotonic() < end:
            if process.poll() is not None:
                self.fail(process.communicate())
            time.sleep(0.0005)

    def kill_at(self, command, asked):
        process = self.start(command)
        self.wait_for(asked, process)
        process.kill()
        process.communicate()

    def status(self):
        return json.loads(self.run_lrgd("status", "run.db", "--json").stdout)

    def digest(self):
        return hashlib.sha256(self.read("run.db", "rb")).hexdigest()
