#!/usr/bin/env python3
"""Plays the browser for an MCP server, which signs its one user in without asking."""
import os, sys
sys.dont_write_bytecode = True     # nothing of a test stays in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from minibrowser import cli

def login(b, a, stop):
    return b.follow(b.get(a.url), stop)

cli(login)
