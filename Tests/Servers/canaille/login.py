#!/usr/bin/env python3
"""Plays the browser for Canaille: name, password, then the page that asks for consent."""
import os, sys
sys.dont_write_bytecode = True     # nothing of a test stays in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from minibrowser import cli

def filled(b, a, form):
    names = form.names()
    if "login" in names:
        return b.submit(form, login=a.user or "alice")
    if "password" in names:
        return b.submit(form, password=a.password or "alice-password")
    return b.submit(form, answer="deny" if a.deny else "accept")

def login(b, a, stop):
    r, cb = b.follow(b.get(a.url), stop)
    for _ in range(3):
        forms = [f for f in b.forms(r) if {"login", "password", "answer"} & set(f.names())]
        if cb or r.status != 200 or not forms:
            break
        r, cb = b.follow(filled(b, a, forms[0]), stop)
    return r, cb

cli(login)
