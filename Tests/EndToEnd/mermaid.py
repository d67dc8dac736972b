#!/usr/bin/env python3
"""Diagrams read and drawn by Mermaid itself, in headless Chromium.

    mermaid.py FOLDER FILE...

FOLDER holds Mermaid as one module, index.js, with the parts that it loads. Each file must be understood and drawn with
every text of it to be seen. With PICTURES=FOLDER in the environment a picture of each is left there.
"""

import functools
import html
import http.server
import json
import os
import pathlib
import re
import sys
import threading

from chromium import Browser


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def texts(diagram):
    """What a reader should see: the texts of messages and notes, the names of boxes, and what stands at arrows."""
    found = []
    for line in diagram.splitlines():
        line = line.strip()
        if line.startswith("%%"):
            continue
        if match := re.match(r"(?:participant|actor) \S+ as (.*)|(?:Note over )?[^\s:]+: (.*)", line):
            found += [text for text in match.groups() if text]
        found += re.findall(r'"([^"]+)"', line)
    # What would be a sign of Mermaid's own is written as #NUMBER; or #NAME; there.
    return [html.unescape(re.sub(r"#(\w+);", lambda m: "&" + "#" * m[1].isdigit() + m[1] + ";", text)) for text in found]


def plain(text):
    """Without line breaks, and without the tags that Mermaid lets pass."""
    return re.sub(r"\s+|</?(?:br|i)/?>", "", text)


def main():
    folder, *files = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Files, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pictures = os.environ.get("PICTURES")
    with Browser() as browser:
        page = browser.page()
        page.open(f"http://127.0.0.1:{server.server_port}/")
        page.run("import('/index.js').then(m => { window.mermaid = m.mermaid; mermaid.initialize({startOnLoad: false}); })")
        for number, file in enumerate(files):
            diagram = pathlib.Path(file).read_text()
            shown = page.run(
                f"mermaid.render('diagram{number}', {json.dumps(diagram)})"
                ".then(drawn => { document.body.innerHTML = drawn.svg; return document.body.textContent; })")
            wanted = texts(diagram)
            missing = [text for text in wanted if plain(text) not in plain(shown)]
            if not wanted or missing:
                raise SystemExit(f"{file}: not to be seen: {missing}")
            if pictures:
                page.picture(f"{pictures}/{pathlib.Path(file).name}.png")
    print(f"{len(files)} drawn")


main()
