#!/usr/bin/env python3
"""Plays the browser for Glewlwyd, whose pages are scripts over an interface of their own: makes the calls they make."""
import json, os, sys, urllib.parse
sys.dont_write_bytecode = True     # nothing of a test stays in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from minibrowser import cli


def _query(url):
    return {name: values[0] for name, values in urllib.parse.parse_qs(urllib.parse.urlsplit(url).query).items()}


def _is_login(r):
    return r.status in (302, 303) and "login.html" in (r.location or "")


def _call(b, method, page, path, body):
    r = b.request(method, urllib.parse.urljoin(page, "/api" + path), data=json.dumps(body).encode(),
                  headers={"Content-Type": "application/json"})
    if r.status != 200:
        raise SystemExit(f"{path}: {r.status} {r.text}")


def _sign_in(b, a, page):
    _call(b, "POST", page, "/auth/", {"username": a.user or "alice", "password": a.password or "alice-password"})


def _go_on(b, url):
    return b.get(f"{url}{'&' if '?' in url else '?'}g_continue")


def _consent(b, r, url):
    """While its page asks: grants what the query of the page names, and goes on where that says."""
    for _ in range(5):
        if not _is_login(r):
            break
        q = _query(r.location)
        if "client_id" in q:
            _call(b, "PUT", r.location, f"/auth/grant/{q['client_id']}", {"scope": q.get("scope", "openid")})
        r = _go_on(b, q.get("callback_url", url))
    return r


def login(b, a, stop):
    r = b.get(a.url)
    if not _is_login(r):
        return b.follow(r, stop)
    _sign_in(b, a, r.location)
    return b.follow(_consent(b, r, a.url), stop)


def device(b, a):
    url = a.url if "code=" in a.url else f"{a.url}{'&' if '?' in a.url else '?'}code={a.user_code}"
    r = b.get(url)
    if _is_login(r) and not _query(r.location).get("prompt", "").startswith("deviceComplete"):
        _sign_in(b, a, r.location)
    for _ in range(5):
        if not _is_login(r):
            return r
        q = _query(r.location)
        if q.get("prompt", "").startswith("deviceComplete"):
            return b.get(r.location)
        if "client_id" in q:
            _call(b, "PUT", r.location, f"/auth/grant/{q['client_id']}", {"scope": q.get("scope", "openid")})
        r = _go_on(b, url)
    return r


cli(login, device, stop="http://127.0.0.1:876")
