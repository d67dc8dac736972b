#!/usr/bin/env python3
"""Plays the browser for Doorkeeper: the sign-in page of the application around it, then Authorize or Deny."""
import os, sys
sys.dont_write_bytecode = True     # nothing of a test stays in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from minibrowser import cli


def login(b, a, stop):
    r, cb = b.follow(b.get(a.url), stop)
    for _ in range(2):
        forms = [] if cb or r.status != 200 else b.forms(r)
        if not forms or forms[0].action.startswith(stop):
            break
        if "password" in forms[0].names():
            user, password = a.user or "alice@example.test", a.password or "alice-password"
            r = b.submit(forms[0], email=user, password=password)
        else:
            # Authorize is the first form, Deny the second.
            r = b.submit(forms[1 if a.deny else 0])
        r, cb = b.follow(r, stop)
    return r, cb


cli(login)
