#!/usr/bin/env python3
"""Plays the browser for Authlib: name and password, then the page that asks for consent; the device page, too."""
import os, sys
sys.dont_write_bytecode = True     # nothing of a test stays in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from minibrowser import cli

def _answered(b, a, r, stop=None, **more):
    r, cb = b.follow(r, stop)
    for _ in range(2):
        names = [name for form in b.forms(r) for name in form.names()]
        if cb or "password" not in names and "answer" not in names:
            break
        fields = {"name": a.user or "alice", "password": a.password or "alice-password"} if "password" in names else \
            {"answer": "no" if a.deny else "yes", **more}
        r, cb = b.follow(b.submit(b.forms(r)[0], **fields), stop)
    return r, cb

def login(b, a, stop):
    return _answered(b, a, b.get(a.url), stop)

def device(b, a):
    return _answered(b, a, b.get(a.url), user_code=a.user_code)[0]

cli(login, device)
