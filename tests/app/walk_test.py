"""Walks through the real window as a person would: every control that is drawn is hovered, clicked, dragged, scrolled over,
typed into and left again with real X events; what a click opens is walked through and left with Escape. After each the program
lives, has answered, and lies as it should (app/ui/parts/marks.h tells what is wrong with a frame).

    walk_test.py PROGRAM [--backend cpu|emulated] [--size 1280x720] [--keys "t"] [--share 1.0] [--items 3] [--seed 1] [--strict]
"""
import argparse
import collections
import os
import random
import subprocess
import sys
import time

from desktop import XDOTOOL, Desktop

SECTIONS = ("Source", "Filter", "Strategy", "Timing", "View", "Recording", "Inspect")
# What opens beside the panels: the keys that open it, and those that close it again.
SHEETS = (("sweep", ["F8"], ["F8"]), ("inspection", ["i", "q", "j"], ["i", "q", "j"]), ("explain", ["e"], ["e"]),
          ("four panes", ["ctrl+d", "ctrl+d", "ctrl+d", "shift+2"], ["ctrl+w", "ctrl+w", "ctrl+w", "shift+1"]),
          ("split", ["ctrl+d", "shift+3"], ["ctrl+w", "shift+1"]), ("difference", ["ctrl+d", "shift+4"], ["ctrl+w", "shift+1"]))
# What lies over everything else; Escape closes it.
OVER_ALL = (("help", "F1"), ("palette", "ctrl+p"), ("settings", "ctrl+comma"), ("browser", "ctrl+o"),
            ("saving the session", "ctrl+s"), ("saving the filter", "ctrl+shift+s"), ("loading a filter", "ctrl+shift+o"))
ANSWER = 0.25  # seconds in which an input is answered
# Never more than this. The lists are those of an idle machine and of one that builds and tests beside.
FROZEN, FROZEN_WHEN_BUSY = 1.0, 5.0
# They start minutes of work: the key gives that up again.
GIVEN_UP = {"sweep-start": "shift+F8"}
# It ends the walk rather than a control's visit.
LEFT_ALONE = {"fullscreen"}
POPUPS = ("##Combo", "##Popup", "##Menu")


def over_the_rest(window):
    """By the name of its outermost window."""
    return window.startswith(POPUPS + ("##palette", "##render")) or window.endswith(("-sheet", "-window"))


class Walk:
    def __init__(self, desktop, share, items, seed, only, verbose, seconds):
        self.desktop, self.share, self.items, self.only = desktop, share, items, only
        self.verbose, self.used, self.left_out = verbose, 0, 0
        self.random = random.Random(seed)
        self.visited, self.faults, self.answers = set(), {}, []
        self.layers = []  # that lie over the rest, in the order in which they opened
        self.history = collections.deque(maxlen=12)
        self.started = time.monotonic()
        self.ends = self.part_ends = self.started + seconds  # each part gets its share of the time that is left
        # One for all, since starting it takes longer than what it does.
        self.hand = subprocess.Popen([XDOTOOL, "-"], stdin=subprocess.PIPE, env=desktop.environment, text=True, bufsize=1)

    @property
    def doing(self):
        return self.history[-1] if self.history else "the start"

    @doing.setter
    def doing(self, what):
        self.history.append(what)

    def send(self, *words):
        self.hand.stdin.write(" ".join(map(str, words)) + "\n")
        self.hand.stdin.flush()

    def now(self):
        assert self.desktop.process.poll() is None, \
            f"the program ended with {self.desktop.process.returncode} after {self.doing}:\n{self.desktop.output()}"
        state = self.desktop.marks()
        for fault in state["faults"]:
            if fault not in self.faults and self.verbose:
                print("fault:", fault, flush=True)
            self.faults.setdefault(fault, self.doing)
        shown = dict.fromkeys(w for w in (m["window"].split("/")[0] for m in state["marks"]) if over_the_rest(w))
        self.layers = [w for w in self.layers if w in shown] + [w for w in shown if w not in self.layers]
        return state

    def frames(self, count=2):
        """Waits until so many more frames are drawn."""
        first = self.now()["frame"]
        started = nudged = time.monotonic()
        aside = 1
        while self.now()["frame"] < first + count:
            seconds = time.monotonic()
            assert seconds - started < 30, f"no frame for 30 s after {self.doing}:\n{self.desktop.output()}"
            if seconds - nudged > 0.2:  # an idle window draws nothing
                self.send("mousemove_relative", "--", aside, 0)
                nudged, aside = seconds, -aside
            time.sleep(0.004)

    def until(self, condition, otherwise, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"{otherwise}, after {self.doing}"
            self.frames(1)

    def move(self, x, y):
        """And how long it takes until the program has seen it."""
        self.send("mousemove", x, y)
        started = time.monotonic()
        while True:
            mouse = self.now()["mouse"]
            if abs(mouse[0] - x) <= 2 and abs(mouse[1] - y) <= 2:
                break
            assert time.monotonic() - started < 30, f"the mouse at ({x}, {y}) is not seen for 30 s after {self.doing}"
            time.sleep(0.004)
        self.answers.append((time.monotonic() - started, self.doing))

    def marks(self):
        """Of the controls that are in reach: what lies over the rest is in the way of all else."""
        state = self.now()
        top = self.layers[-1] if self.layers else None
        return {m["id"]: m for m in state["marks"] if not m["hidden"] and (not top or m["window"].split("/")[0] == top)}

    @staticmethod
    def centre(mark):
        x0, y0, x1, y1 = mark["seen"]
        return int((x0 + x1) / 2), int((y0 + y1) / 2)

    def press(self, down):
        self.send("mousedown" if down else "mouseup", 1)
        self.frames(2 if down else 3)  # a window that opens is hidden for a frame, while it finds its size

    def click(self, x, y):
        self.move(x, y)
        self.press(True)
        self.press(False)

    def escape(self):
        self.send("key", "Escape")
        self.frames(3)

    def key(self, name):
        self.doing = "the key " + name
        self.send("key", name)
        self.frames(3)

    def leave(self, count):
        """With Escape, until no more than so many layers are left."""
        for _ in range(6):
            self.now()
            if len(self.layers) <= count:
                return
            self.escape()
        raise AssertionError(f"Escape does not close {self.layers[-1]}, after {self.doing}")

    def visit(self, id):
        mark = self.marks().get(id)
        if not mark or id in LEFT_ALONE:
            return
        if time.monotonic() > self.part_ends:
            self.left_out += 1
            return
        self.used += 1
        x, y = self.centre(mark)
        layers = len(self.layers)
        if self.verbose:
            self.told(id)
        self.doing = "hovering over " + id
        self.move(x, y)
        self.frames(2)
        if mark["disabled"]:
            return
        typing = self.now()["wants_text"] and not id.endswith(("path", "name", "folder", "search"))  # of a sheet's field
        self.doing = "clicking on " + id
        self.press(True)
        self.press(False)
        if len(self.layers) > layers:
            self.walk_layer(id, layers, lambda: self.click(x, y))
        elif self.now()["wants_text"] and not typing:
            self.doing = "typing into " + id
            self.send("type", "--delay", 5, "1é")
            self.frames(2)
            if self.now()["wants_text"]:
                self.escape()
        mark = self.marks().get(id)
        if mark and not mark["disabled"] and len(self.layers) == layers:
            x, y = self.centre(mark)
            self.doing = "dragging " + id
            self.move(x, y)
            self.press(True)
            self.move(min(x + 25, self.desktop.width - 2), y)
            self.press(False)
            self.doing = "scrolling over " + id
            self.send("click", 4)
            self.send("click", 5)
            self.frames(2)
        if id in GIVEN_UP:
            self.key(GIVEN_UP[id])
        self.leave(layers)

    def walk_layer(self, opener, below, reopen):
        """What has opened over the rest: all of it, or of a list some. What closes it is followed by opening it again."""
        name = self.layers[-1]
        left = None
        for _ in range(80):
            self.now()
            if len(self.layers) <= below:
                self.doing = "opening again with " + opener
                reopen()
                self.now()
                if len(self.layers) <= below or self.layers[-1] != name:
                    break
            new = [id for id in self.marks() if id not in self.visited]
            if name.startswith(POPUPS):
                if left is None:
                    left = self.random.sample(new, min(self.items, len(new)))
                    self.visited.update(new)
                new = left
            if not new:
                break
            id = new[0]
            if left:
                left.pop(0)
            self.visited.add(id)
            if name.startswith(POPUPS) or self.random.random() <= self.share:
                self.visit(id)
        self.leave(below)

    def walk(self, what, wanted):
        """Visits every control of `wanted(id)` that is in sight, also those that appear meanwhile."""
        for _ in range(400):
            self.leave(0)
            left = [id for id in self.marks() if id not in self.visited and wanted(id)]
            if not left:
                return
            id = left[0]
            self.visited.add(id)
            if self.random.random() <= self.share:
                self.visit(id)
        raise AssertionError(f"{what} never ends: controls keep appearing")

    def told(self, what):
        print(f"{time.monotonic() - self.started:6.1f} s  {what}: {len(self.visited)} controls found", flush=True)

    def panels_shown(self):
        return any(mark["id"].startswith("section/") for mark in self.now()["marks"])  # also below what lies over them

    def show_panels(self):
        self.leave(0)
        for _ in range(3):
            if self.panels_shown():
                return
            if self.now()["wants_text"]:  # which keeps Tab to itself
                self.escape()
            self.key("Tab")
        raise AssertionError("Tab does not bring the panels back")

    def is_open(self, title):
        """A section: something of it is drawn between its heading and the next one."""
        panel = [m["id"] for m in self.now()["marks"] if m["window"].startswith("##panel")]
        after = panel[panel.index("section/" + title) + 1:]
        return bool(after) and not after[0].startswith("section/")

    def show_section(self, title, wanted):
        self.show_panels()
        if self.is_open(title) == wanted:
            return
        place = self.centre(self.in_sight("section/" + title))
        self.doing = "clicking on the section " + title
        self.click(*place)
        self.until(lambda: self.is_open(title) == wanted, f"a click on {title} does not {'open' if wanted else 'close'} it")

    def in_sight(self, id):
        """Scrolls the panel until the control is seen."""
        for _ in range(80):
            mark = next((m for m in self.now()["marks"] if m["id"] == id), None)
            if mark and not mark["hidden"]:
                return mark
            # Of what is above the panel's edge, its upper edge is that one.
            self.scroll_panel(4 if mark and mark["seen"][1] < self.desktop.height // 2 else 5)
        raise AssertionError(f"{id} cannot be scrolled into sight; seen: {sorted(self.marks())}")

    def scroll_panel(self, direction):
        x, y = self.desktop.width - 150, self.desktop.height // 2
        self.move(x, y)
        self.send("click", direction)
        self.move(x + 8, y)  # frames may be faster than xdotool: once the mouse has arrived, the wheel was turned
        self.frames(2)

    def run(self):
        self.frames(5)
        for title in SECTIONS:  # then nothing lies below the fold
            self.show_section(title, False)
        outside = set(self.marks())
        parts = [(title, lambda title=title: self.walk_section(title, outside)) for title in SECTIONS]
        parts += [(sheet[0], lambda sheet=sheet: self.walk_sheet(*sheet)) for sheet in SHEETS]
        parts += [(name, lambda name=name, key=key: self.walk_over_all(name, key)) for name, key in OVER_ALL]
        parts += [("the rest", lambda: self.walk("the rest", lambda id: not id.startswith("section/")))]
        parts = [part for part in parts if not self.only or part[0] in self.only]
        for done, (name, walk) in enumerate(parts):
            now = time.monotonic()
            self.part_ends = now + (self.ends - now) / (len(parts) - done)
            walk()
            self.told(name)
        self.doing = "leaving"
        for _ in range(3):
            self.escape()
        self.send("key", "ctrl+q")
        code = self.desktop.process.wait(120)
        assert code == 0, f"left with {code}:\n{self.desktop.output()}"

    def walk_section(self, title, outside):
        self.show_section(title, True)
        for _ in range(12):  # and what lies below the fold all the same
            self.walk(title, lambda id: id not in outside and not id.startswith("section/"))
            self.show_panels()
            hidden = [m["id"] for m in self.now()["marks"] if m["hidden"] and m["id"] not in self.visited]
            if not hidden:
                break
            self.scroll_panel(5)
        self.show_section(title, False)

    def walk_sheet(self, name, opening, closing):
        before = set(self.marks())
        for key in opening:
            self.key(key)
        if name in ("inspection", "explain"):
            self.click(self.desktop.width // 3, self.desktop.height // 2)
        self.walk(name, lambda id: id not in before)
        for key in closing:
            self.key(key)
        self.escape()

    def walk_over_all(self, name, key):
        self.key(key)
        self.until(lambda: self.now() and self.layers, f"{key} does not open {name}")
        self.walk_layer(key, 0, lambda: self.key(key))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--backend", default="cpu")
    arguments.add_argument("--size", default="1280x720")
    arguments.add_argument("--keys", default="", help="pressed first: t for the light theme, F12 for the projector")
    arguments.add_argument("--share", type=float, default=1, help="of the controls that are visited")
    arguments.add_argument("--items", type=int, default=3, help="of a list that are chosen")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", default="", help="these sections and sheets: Source,sweep,…")
    arguments.add_argument("--seconds", type=float, default=1e9, help="no control is visited later than this: each part has its share")
    arguments.add_argument("--picture", help="where to leave one of the window when it fails")
    arguments.add_argument("--verbose", action="store_true", help="say what is visited")
    arguments.add_argument("--strict", action="store_true", help="as an idle machine answers")
    a = arguments.parse_args()
    size = tuple(map(int, a.size.split("x")))
    with Desktop(a.program, "pattern", "--size", "160x90", "--window", a.size, "--backend", a.backend, size=size) as desktop:
        walk = Walk(desktop, a.share, a.items, a.seed, a.only.split(",") if a.only else [], a.verbose, a.seconds)
        for key in a.keys.split():
            walk.key(key)
        try:
            walk.run()
        except BaseException:
            print("what was done last:", "; ".join(walk.history), flush=True)
            if a.picture and desktop.process.poll() is None:
                desktop.look().save(a.picture)
            raise
    answers = sorted(seconds for seconds, _ in walk.answers)
    half, usual, nearly_all = (answers[int(len(answers) * share)] for share in (0.5, 0.9, 0.99))
    print(f"{walk.used} of {len(walk.visited)} controls used; {len(answers)} moves of the mouse, half of them answered in "
          f"{half * 1e3:.0f} ms, 90 % in {usual * 1e3:.0f} ms, 99 % in {nearly_all * 1e3:.0f} ms, the slowest in {answers[-1] * 1e3:.0f} ms")
    bound = FROZEN if a.strict else FROZEN_WHEN_BUSY
    slow = [f"{seconds:.2f} s {doing}" for seconds, doing in walk.answers if seconds > bound]
    problems = [f"{fault}  (after {doing})" for fault, doing in walk.faults.items()]
    problems += [f"not answered for {each}" for each in slow]
    load = os.getloadavg()[1]
    judged = a.strict or load < 2 * os.cpu_count()
    if not judged:
        print(f"The load of the machine is {load:.1f}: only what takes seconds is judged.")
    if judged and (usual if a.strict else half) > ANSWER:
        problems.append(f"{'nine of ten' if a.strict else 'half'} of the moves are answered within {ANSWER} s no more")
    if not a.only and len(walk.visited) < 200 * a.share:
        problems.append(f"only these controls were found: {sorted(walk.visited)}")
    if walk.left_out:
        print(f"{walk.left_out} were left out for want of time.")
    if walk.used < (5 if walk.left_out else min(10, 100 * a.share)):
        problems.append("hardly any of them were used")
    for problem in problems:
        print("wrong:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
