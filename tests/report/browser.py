"""A browser to look at pages with: Chromium without a window, spoken to over a
pair of pipes in its DevTools protocol, so that nothing beside it is needed."""
import base64
import json
import os
import select
import subprocess
import tempfile
import time

CHROMIUM = os.environ.get("CHROMIUM") or "chromium"


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def hand_over():  # the protocol's pipes are 3 and 4
            low, high = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-extensions",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}",
             "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.input, self.output = ours_in, ours_out
        self.rest, self.number, self.events = b"", 0, []
        self.session = None
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget",
                                targetId=page["targetId"],
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Security"):
            self.ask(domain + ".enable")

    def close(self):
        os.close(self.output)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        self.folder.cleanup()

    def message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise TimeoutError(f"the browser said nothing for {seconds} s")
            got = os.read(self.input, 1 << 20)
            if not got:
                raise EOFError("the browser is gone")
            self.rest += got
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        self.number += 1
        question = {"id": self.number, "method": method, "params": params}
        if self.session:
            question["sessionId"] = self.session
        os.write(self.output, json.dumps(question).encode() + b"\0")
        while True:
            answer = self.message(60)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while True:
            for event in self.events:
                if event.get("method") == method:
                    return event["params"]
            self.events.append(self.message(60))

    def open(self, path, width=1280, height=900, dark=False, script=True):
        """Loads the page; what went wrong is in self.complaints()."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width,
                 height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if dark else "light"}])
        self.ask("Emulation.setScriptExecutionDisabled", value=not script)
        self.events = []
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def run(self, code):
        answer = self.ask("Runtime.evaluate", expression=code,
                          returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key)

    def complaints(self):
        """Errors, refusals, dialogs, and requests for anything but the page."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method in ("Runtime.exceptionThrown", "Log.entryAdded",
                          "Runtime.consoleAPICalled",
                          "Page.javascriptDialogOpening"):
                found.append(json.dumps(params)[:400])
            if method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith("file://"):
                    found.append(f"asked for {url[:200]}")
        return found

    def picture(self, path, whole=True):
        data = self.ask("Page.captureScreenshot", format="png",
                        captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
