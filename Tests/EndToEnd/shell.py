#!/usr/bin/env python3
"""Types into an interactive shell at a terminal of its own and shows what it answers.

    shell.py MARK TEXT -- SHELL ARGUMENT...

Waits for MARK, the shell's prompt, types TEXT, in which \\t is the tab key, waits until nothing more comes, and ends the
shell. Writes what the terminal showed after TEXT was typed.
"""
import os, pty, select, sys, time

mark, text, command = sys.argv[1].encode(), sys.argv[2].replace("\\t", "\t"), sys.argv[4:]
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb", COLUMNS="100", LINES="50")
    os.execvp(command[0], command)


def read(until, quiet):
    """What comes until the mark is there, or until nothing comes for a while."""
    shown, end = b"", time.monotonic() + 20
    while time.monotonic() < end and not (until and until in shown):
        if select.select([terminal], [], [], quiet)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:
                break
        elif not until:
            break
    return shown


read(mark, 0.2)
# Slowly: what is typed while a shell completes a word is the answer to no question.
for character in text:
    os.write(terminal, character.encode())
    time.sleep(0.01)
print(read(None, 2).decode(errors="replace"))
os.kill(child, 9)
