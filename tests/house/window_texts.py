"""Lists every text that the window shows, as it stands in the code, to be read critically:

    window_texts.py                 each once, with where it stands
    window_texts.py --since COMMIT  those that have changed since then, as they were and as they are

Whatever is put in while the program runs is "Something"; of alternatives the longest is shown (said.py).
"""
import argparse
import difflib
import glob
import os
import re
import subprocess

import said

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Who draws the window, and who posts messages to it.
ROOMS = ["app/ui", "app/steps", "app/session", "app/capture", "app/media", "app/inspect", "app/measure", "app/state", "app/panes", "app/learn", "app/files",
         "kernels/filter", "kernels/kinds", "kernels/choose"]


def is_shown(text):
    """A word or more in plain letters, no id, key of a file, path, format or shader."""
    plain = text.strip()
    if re.fullmatch(r"[a-z0-9_:/.%#*~+-]*", plain) or "/" in plain and " " not in plain or plain.startswith("##"):
        return False
    return re.search(r"[A-Za-z]{2}", plain) is not None


def texts_of(code):
    return [(" ".join(text.split()), line) for text, line in said.texts(code) if is_shown(text)]


def files(pattern=("*.cpp", "*.h")):
    return sorted(os.path.relpath(name, ROOT) for room in ROOMS for ending in pattern
                  for name in glob.glob(os.path.join(ROOT, room, "**", ending), recursive=True))


def now(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def then(commit, name):
    shown = subprocess.run(["git", "show", f"{commit}:{name}"], cwd=ROOT, capture_output=True, text=True, check=False)
    return shown.stdout if shown.returncode == 0 else ""


def names_then(commit):
    listed = subprocess.run(["git", "ls-tree", "-r", "--name-only", commit, *ROOMS], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if name.endswith((".cpp", ".h"))]


def changes(commit):
    """Each as (as it was, as it is), one of them empty where it is new or gone; what only moved to another file is none."""
    names = sorted({*files(), *names_then(commit)})
    gone, new, changed = [], [], []
    for name in names:
        was = [text for text, _ in texts_of(then(commit, name))]
        became = [text for text, _ in texts_of(now(name))] if os.path.exists(os.path.join(ROOT, name)) else []
        for kind, a, b, c, d in difflib.SequenceMatcher(None, was, became, autojunk=False).get_opcodes():
            if kind == "replace" and b - a == d - c:
                changed += zip(was[a:b], became[c:d])
            elif kind != "equal":
                gone += was[a:b]
                new += became[c:d]
    moved = set(gone) & set(new)
    return changed + [(text, "") for text in gone if text not in moved] + [("", text) for text in new if text not in moved]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--since", metavar="COMMIT")
    asked = parser.parse_args()
    if asked.since:
        for was, became in changes(asked.since):
            print(f"- {was or '(new)'}\n  → {became or '(gone)'}")
        return
    listed = {}
    for name in files():
        for text, line in texts_of(now(name)):
            listed.setdefault(text, f"{name}:{line}")
    for text, place in listed.items():
        print(f"{place}: {text}")


if __name__ == "__main__":
    main()
