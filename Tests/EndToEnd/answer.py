#!/usr/bin/env python3
"""Runs a program at a terminal of its own and answers what it asks.

    answer.py 'PART OF A QUESTION=ANSWER'... -- PROGRAM ARGUMENT...

Each answer is typed when its question has appeared after the one before. Writes everything that the terminal showed;
ends with the program's status, or with 99 when a question does not come within 20 seconds.
"""
import os, pty, select, sys, time

split = sys.argv.index("--")
answers = [text.split("=", 1) for text in sys.argv[1:split]]
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="xterm", COLUMNS="80")
    os.execvp(sys.argv[split + 1], sys.argv[split + 1:])

shown, seen, end = b"", 0, time.monotonic() + 20
while time.monotonic() < end:
    if answers and answers[0][0].encode() in shown[seen:]:
        # The terminal may still be told to hide what is typed, and then drops what came before.
        time.sleep(0.2)
        seen = len(shown)
        answer = answers.pop(0)[1].encode()
        # A control character is pressed, a text is entered.
        os.write(terminal, answer if answer and answer < b" " else answer + b"\n")
        end = time.monotonic() + 20
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            piece = b""
        if not piece:
            break
        shown += piece
else:
    os.kill(child, 9)
    print(shown.decode(errors="replace"), f"\nno question: {answers[:1]}")
    sys.exit(99)
print(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
