#!/usr/bin/env python3
"""Plays the browser for LemonLDAP::NG: the form of the portal, then consent, then what the portal has to say."""
import os, sys
sys.dont_write_bytecode = True     # nothing of a test stays in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from minibrowser import cli


def login(b, a, stop):
    r, cb = b.follow(b.get(a.url), stop)
    for _ in range(6):
        forms = [] if cb or r.status >= 400 else b.forms(r)
        if not forms:
            break
        form = next((f for f in forms if "password" in f.names()), forms[0])
        given = {}
        if "password" in form.names():
            given = {"user": a.user or "dwho", "password": a.password or "dwho"}
        elif "confirm" in form.names():
            given = {"confirm": -1 if a.deny else 1}
        r, cb = b.follow(b.submit(form, **given), stop)
    return r, cb


cli(login)
