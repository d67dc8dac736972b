#!/usr/bin/env python3
"""Plays the browser for authgent: the page that asks for consent; the page of devices, which it leaves to others."""
import json, os, sys
from urllib.parse import urljoin
sys.dont_write_bytecode = True     # nothing of a test stays in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from minibrowser import cli

def login(b, a, stop):
    r, cb = b.follow(b.get(a.url), stop)
    for f in [] if cb else b.forms(r):
        r, cb = b.follow(b.submit(f, action="deny" if a.deny else "allow"), stop)
    return r, cb

def device(b, a):
    answer = {"user_code": a.user_code, "subject": "alice", "action": "deny" if a.deny else "approve"}
    return b.post(urljoin(a.url, "/device/complete"), json.dumps(answer).encode(),
                  headers={"Content-Type": "application/json"})

cli(login, device)
