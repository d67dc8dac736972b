#!/usr/bin/env python3
"""A person at a terminal: runs a command in a pseudo-terminal, waits for words and types.

    terminal.py COMMAND... -- DEED...

Deeds, one after another:
    see TEXT        wait until the terminal has shown the text
    open            go to the shown address in a browser on this machine, which the redirect reaches
    follow          go there in a browser elsewhere, which cannot: its last address is what is pasted
    paste           type that last address and Enter
    type TEXT       type a text and Enter; {query}, {code} and {state} are of that last address
    half TEXT       type a text without Enter
    keep FILE       write the code of that last address into a file
    end             the terminal goes away

Prints what the terminal showed, without the control sequences of colours; ends with the status of the command.
"""
import os
import pty
import re
import select
import sys
import time
import urllib.parse
import urllib.request

PATIENCE = 30


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows redirects up to the one that leads to the redirect URI."""

    def __init__(self, end):
        self.end = end
        self.last = None

    def redirect_request(self, request, response, code, message, headers, address):
        if address.startswith(self.end):
            self.last = address
            return None
        return super().redirect_request(request, response, code, message, headers, address)


class Terminal:
    def __init__(self, words):
        self.shown = ""
        self.last = None
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.execvp(words[0], words)

    def read(self, seconds):
        """Takes what the command shows; false at its end."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.descriptor, 65536)
        except OSError:
            return False
        self.shown += piece.decode("utf-8", "replace")
        return bool(piece)

    def see(self, text):
        until = time.monotonic() + PATIENCE
        while text not in self.shown:
            if time.monotonic() > until or not self.read(0.2):
                raise SystemExit(f"never seen: {text}\n{self.shown}")

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def address(self):
        found = re.findall(r"https?://\S+/authorize\?\S+", re.sub(r"\x1b\[[0-9;]*m", "", self.shown))
        return found[-1]

    def follow(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.address()).query)
        stay = Stay(query["redirect_uri"][0])
        try:
            urllib.request.build_opener(stay).open(self.address(), timeout=PATIENCE)
        except urllib.error.HTTPError:
            pass
        self.last = stay.last

    def texts(self):
        query = urllib.parse.urlsplit(self.last).query if self.last else ""
        values = dict(urllib.parse.parse_qsl(query))
        return {"query": query, "code": values.get("code", ""), "state": values.get("state", "")}

    def wait(self):
        until = time.monotonic() + PATIENCE
        while self.read(0.2) and time.monotonic() < until:
            pass
        if time.monotonic() >= until:
            os.kill(self.process, 9)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


words = sys.argv[1:]
middle = words.index("--")
terminal = Terminal(words[:middle])
deeds = iter(words[middle + 1:])
for deed in deeds:
    if deed == "see":
        terminal.see(next(deeds))
    elif deed == "open":
        urllib.request.urlopen(terminal.address(), timeout=PATIENCE).read()
    elif deed == "follow":
        terminal.follow()
    elif deed == "paste":
        terminal.type(terminal.last + "\n")
    elif deed == "type":
        terminal.type(next(deeds).format(**terminal.texts()) + "\n")
    elif deed == "half":
        terminal.type(next(deeds))
    elif deed == "keep":
        with open(next(deeds), "w") as file:
            file.write(terminal.texts()["code"])
    elif deed == "end":
        os.close(terminal.descriptor)
    else:
        raise SystemExit(f"no deed {deed}")
status = terminal.wait()
print(terminal.shown)
raise SystemExit(status)
