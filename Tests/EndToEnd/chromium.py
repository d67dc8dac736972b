"""Drives a headless Chromium over its DevTools protocol, through pipes: no port, no other package."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


class Page:
    """One tab: what it shows, says on its console and asks the network for."""

    def __init__(self, browser, session):
        self.browser = browser
        self.session = session
        self.requests = []
        self.complaints = []

    def send(self, method, **parameters):
        return self.browser.send(method, parameters, self.session)

    def open(self, url):
        """Shows the page and waits until it is there; requests and complaints begin anew."""
        self.requests, self.complaints = [], []
        self.loaded = False
        result = self.send("Page.navigate", url=url)
        if result.get("errorText"):
            raise RuntimeError(f"{url}: {result['errorText']}")
        self.browser.wait(lambda: self.loaded)

    def run(self, expression):
        """The value of a JavaScript expression; promises are waited for."""
        result = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def show(self, width=1280, height=900, scheme="light", media=""):
        """Size of the window, colour scheme and medium (`print`)."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.send("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def press(self, key, code=None, text=None):
        """Presses one key, as `Tab` or `j`."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        number = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        text = text if text is not None else (key if len(key) == 1 else "\r" if key == "Enter" else "")
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key, "windowsVirtualKeyCode": number, "code": code or key}
            if kind == "keyDown" and text:
                event["text"] = text
            self.send("Input.dispatchKeyEvent", **event)

    def picture(self, path, whole=True):
        result = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(result["data"]))

    def pdf(self, path):
        result = self.send("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)
        with open(path, "wb") as file:
            file.write(base64.b64decode(result["data"]))

    def note(self, event, parameters):
        if event == "Page.loadEventFired":
            self.loaded = True
        elif event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif event == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"]["text"])
        elif event == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        elif event == "Audits.issueAdded":
            self.complaints.append(json.dumps(parameters["issue"]))


class Browser:
    """Use it in a `with`: Chromium ends with it."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp()
        read, self.write = os.pipe()
        self.read, write = os.pipe()
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program is None:
            raise RuntimeError("there is no chromium: apt-get install chromium")

        # The program reads commands from its descriptor 3 and writes to its descriptor 4.
        def place():
            first, second = os.dup(read), os.dup(write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars", "--force-color-profile=srgb", *options,
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=place, close_fds=False)
        os.close(read)
        os.close(write)
        self.number = 0
        self.rest = b""
        self.answers = {}
        self.pages = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def page(self):
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log", "Audits", "Accessibility"):
            page.send(f"{domain}.enable")
        return page

    def send(self, method, parameters=None, session=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        number = self.number
        self.wait(lambda: number in self.answers)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError("the browser does not answer")
            self.take()

    def take(self):
        data = os.read(self.read, 1 << 20)
        if not data:
            raise RuntimeError("the browser has ended")
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].note(message["method"], message["params"])
