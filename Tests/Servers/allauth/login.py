#!/usr/bin/env python3
"""Plays the browser for django-allauth: its login form, then the consent; the device page with its code, too."""
import os, sys, urllib.parse
sys.dont_write_bytecode = True     # nothing of a test stays in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from minibrowser import cli

def _form(b, r, name):
    return next((f for f in b.forms(r) if name in f.names()), None)

def _signed_in(b, a, r, stop=None):
    r, cb = b.follow(r, stop)
    form = None if cb else _form(b, r, "password")
    if form is None:
        return r, cb
    return b.follow(b.submit(form, login=a.user or "alice", password=a.password or "alice-password"), stop)

def _decided(b, a, r, yes, no, stop=None):
    form = _form(b, r, "action")
    return b.follow(b.submit(form, action=no if a.deny else yes), stop) if form else (r, None)

def login(b, a, stop):
    r, cb = _signed_in(b, a, b.get(a.url), stop)
    return (r, cb) if cb else _decided(b, a, r, "grant", "cancel", stop)

def device(b, a):
    _signed_in(b, a, b.get(a.url))
    r, _ = b.follow(b.get(a.url + "?" + urllib.parse.urlencode({"code": a.user_code})), None)
    return _decided(b, a, r, "confirm", "deny")[0]

cli(login, device)
