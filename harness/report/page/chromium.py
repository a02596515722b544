"""Drives headless Chromium over --remote-debugging-pipe with nothing but Python's standard library, to check pages."""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time
import urllib.parse

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TIMEOUT_S = 60


class Browser:
    """One headless Chromium with one page, spoken to in the DevTools protocol over a pair of pipes."""

    def __init__(self, program, profile):
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()

        # The browser reads from descriptor 3 and writes to 4.
        def place():
            kept = [os.dup(to_child), os.dup(from_child)]
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--disable-dev-shm-usage", f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(command, preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.events, self.next_id, self.session = b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            data = os.read(self.read_end, 1 << 20)
            if not data:
                raise EOFError("Chromium ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error'].get('message')}")
                return answer.get("result", {})
            if "method" in answer:
                self.events.append(answer)

    def open(self, url, width, dark, script, rest=0):
        """Leaves the page before for an empty one and, after `rest` seconds, that for `url`."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.colour(dark)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("Page.navigate", url="about:blank")
        time.sleep(rest)
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + TIMEOUT_S
        while self.evaluate("document.readyState") != "complete" or self.evaluate("location.href") == "about:blank":
            if time.monotonic() > deadline:
                raise TimeoutError(f"{url} does not load")
            time.sleep(0.05)
        # What scripts still do.
        if script:
            time.sleep(0.3)

    def colour(self, dark):
        """Of the page that is open, too. Scripts ask for it only when a button is pressed."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails'].get('text')}")
        return answer["result"].get("value")

    def complaints(self):
        """Console messages and uncaught exceptions since the page was opened."""
        found = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("warning", "error"):
                found.append(params["entry"]["text"])
            elif event["method"] == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                found.append(details["text"] + " " + details.get("exception", {}).get("description", ""))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("warning", "error", "assert"):
                found.append(str([each.get("value") for each in params["args"]]))
        return found

    def requests(self, url):
        """Everything fetched but the page itself, and data in the page, which is no request."""
        urls = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [each for each in urls if each not in (url, "about:blank") and not each.startswith("data:")]

    def screenshot(self, path, full=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)


def neighbour(url, href):
    """The file that a link of the page at `url` names."""
    return pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(urllib.parse.urljoin(url, href)).path))


def found():
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def started(program=None):
    """A Browser; None if there is no Chromium that starts."""
    program = program or found()
    with tempfile.TemporaryDirectory(prefix="chromium.", ignore_cleanup_errors=True) as profile:
        try:
            browser = Browser(program, profile) if program else None
        except (EOFError, OSError, TimeoutError):
            browser = None
        try:
            yield browser
        finally:
            if browser:
                browser.close()


def main(description, check, options=lambda parser: None):
    """Runs `check(browser, url, args)`, which returns what is wrong, on the page that the command line names. `options` adds
    its own to the command line."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path, help="folder for full-page PNGs")
    parser.add_argument("--chromium", default=found())
    options(parser)
    args = parser.parse_args()
    if args.screenshots:
        args.screenshots.mkdir(parents=True, exist_ok=True)
    with started(args.chromium) as browser:
        if not browser:
            print(f"skipped: none of {', '.join(NAMES)} is installed and starts")
            return 77
        failures = check(browser, args.page.resolve().as_uri(), args)
    for each in failures:
        print(each)
    print(f"{args.page}: " + (f"{len(failures)} checks failed" if failures else "every check holds"))
    return 1 if failures else 0
