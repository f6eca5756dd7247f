"""Walks through the real window as a person would: every control that is drawn is hovered, clicked, dragged, scrolled over,
typed into and left again with real X events; what a click opens is walked through and left with Escape. After each the program
lives, has answered, and lies as it should (app/ui/parts/marks.h tells what is wrong with a frame).

    walk_test.py PROGRAM [--backend cpu|emulated] [--size 1280x720] [--keys "t"] [--share 1.0] [--items 3] [--seed 1] [--strict]

How fast the machine is decides how far the walk comes in --seconds, and nothing else, unless it is --strict: all is tried
again with more patience, and a fault of the layout counts when it is still there after a pause.
"""
import argparse
import collections
import os
import random
import sys
import time

from desktop import Desktop
from hand import PATIENCE, Hand

SECTIONS = ("Source", "Filter", "Strategy", "Timing", "View", "Recording", "Inspect")
# What opens beside the panels: the keys that open it, and those that close it again.
SHEETS = (("sweep", ["F8"], ["F8"]), ("inspection", ["i", "q", "j"], ["i", "q", "j"]), ("explain", ["e"], ["e"]),
          ("four panes", ["ctrl+d", "ctrl+d", "ctrl+d", "shift+2"], ["ctrl+w", "ctrl+w", "ctrl+w", "shift+1"]),
          ("split", ["ctrl+d", "shift+3"], ["ctrl+w", "shift+1"]), ("difference", ["ctrl+d", "shift+4"], ["ctrl+w", "shift+1"]))
# What lies over everything else; Escape closes it.
OVER_ALL = (("help", "F1"), ("palette", "ctrl+p"), ("settings", "ctrl+comma"), ("browser", "ctrl+o"),
            ("saving the session", "ctrl+s"), ("saving the filter", "ctrl+shift+s"), ("loading a filter", "ctrl+shift+o"))
ANSWER, FROZEN = 0.25, 1.0  # seconds in which an idle machine answers nearly always, and always
# Two presses that are nearer and sooner are a double click.
BESIDE, DOUBLE_CLICK = 8, 0.35
LOOKS = 3  # at what is gone again when it is looked at twice
# They start minutes of work: the key gives that up again.
GIVEN_UP = {"sweep-start": "shift+F8"}
# It ends the walk rather than a control's visit.
LEFT_ALONE = {"fullscreen"}
POPUPS = ("##Combo", "##Popup", "##Menu")


def over_the_rest(window):
    """By the name of its outermost window."""
    return window.startswith(POPUPS + ("##palette", "##render")) or window.endswith(("-sheet", "-window"))


def without_numbers(fault):
    return "".join(c for c in fault if not c.isdigit())


class Walk:
    def __init__(self, desktop, share, items, seed, only, verbose, seconds, pictures):
        self.desktop, self.hand, self.share, self.items, self.only = desktop, Hand(desktop), share, items, only
        self.verbose, self.pictures, self.used, self.left_out = verbose, pictures, 0, 0
        self.random = random.Random(seed)
        self.visited, self.faults = set(), {}
        self.passing, self.looking = collections.Counter(), False
        self.layers = []  # that lie over the rest, in the order in which they opened
        self.history = collections.deque(maxlen=12)
        self.started = time.monotonic()
        self.ends = self.part_ends = self.started + seconds

    @property
    def doing(self):
        return self.hand.doing

    @doing.setter
    def doing(self, what):
        self.hand.doing = what
        self.history.append(what)

    def now(self):
        state = self.hand.state()
        shown = dict.fromkeys(w for w in (m["window"].split("/")[0] for m in state["marks"]) if over_the_rest(w))
        self.layers = [w for w in self.layers if w in shown] + [w for w in shown if w not in self.layers]
        known = set(map(without_numbers, self.faults))
        new = [f for f in state["faults"] if without_numbers(f) not in known and self.passing[f] < LOOKS]
        if not new or self.looking:
            return state
        self.look_again(new)
        return self.now()

    def look_again(self, faults):
        """What a frame shows while things move is no fault: it stays when nothing is done any more."""
        self.looking = True
        for pause in (0.1, 0.4):
            time.sleep(pause)
            self.hand.frames(3)
            there = set(map(without_numbers, self.hand.state()["faults"]))
            self.passing.update(fault for fault in faults if without_numbers(fault) not in there)
            faults = [fault for fault in faults if without_numbers(fault) in there]
        for fault in faults:
            print(f"fault: {fault}  (after {self.doing})", flush=True)
            self.faults[fault] = self.doing
        if faults and self.pictures:
            self.desktop.look().save(os.path.join(self.pictures, f"fault-{len(self.faults)}.png"))
        self.looking = False

    def until(self, condition, seconds):
        """Whether it comes true."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self.hand.frames(2)
        return True

    def insist(self, act, condition, otherwise):
        """Does it again when nothing comes of it, and waits longer each time."""
        for patience in (3, 10, PATIENCE):
            act()
            if self.until(condition, patience):
                return
        raise AssertionError(f"{otherwise}, after {self.doing}")

    def marks(self):
        """Of the controls that are in reach: what lies over the rest is in the way of all else."""
        state = self.now()
        top = self.layers[-1] if self.layers else None
        return {m["id"]: m for m in state["marks"] if not m["hidden"] and (not top or m["window"].split("/")[0] == top)}

    @staticmethod
    def centre(mark):
        x0, y0, x1, y1 = mark["seen"]
        return int((x0 + x1) / 2), int((y0 + y1) / 2)

    def key(self, name):
        self.doing = "the key " + name
        self.hand.act("key", name, frames=2)

    def leave(self, count):
        """With Escape, until no more than so many layers are left."""
        for patience in (0, 0, 0, 0, 0, 1, 5, PATIENCE):
            self.now()
            if len(self.layers) <= count:
                return
            self.hand.act("key", "Escape", frames=2)
            self.until(lambda: self.now() and len(self.layers) <= count, patience)
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
        self.hand.move(x, y)
        self.hand.frames(2)
        if mark["disabled"]:
            return
        typing = self.now()["wants_text"] and not id.endswith(("path", "name", "folder", "search"))  # of a sheet's field
        self.doing = "clicking on " + id
        self.hand.press()
        self.hand.release()
        self.now()
        if len(self.layers) > layers:
            self.walk_layer(id, layers, lambda: self.hand.click(x, y))
        elif self.now()["wants_text"] and not typing:
            self.doing = "typing into " + id
            self.hand.act("type", "--delay", 5, "1é")
            if self.now()["wants_text"]:
                self.key("Escape")
        mark = self.marks().get(id)
        if mark and not mark["disabled"] and len(self.layers) == layers:
            x, y = self.centre(mark)
            self.doing = "dragging " + id
            x0, _, x1, _ = mark["seen"]
            if x1 - x0 < 2 * BESIDE + 2:
                time.sleep(DOUBLE_CLICK)
            else:
                x -= BESIDE
            self.hand.move(x, y)
            self.hand.press()
            self.hand.move(min(x + 25, self.desktop.width - 2), y)
            self.hand.release()
            self.now()
            self.doing = "scrolling over " + id
            self.hand.wheel(4, 5)
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
                self.key("Escape")
            self.key("Tab")
            self.until(self.panels_shown, 3)
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

        def click():
            place = self.centre(self.in_sight("section/" + title))
            self.doing = "clicking on the section " + title
            self.hand.click(*place)
        self.insist(click, lambda: self.is_open(title) == wanted, f"a click on {title} does not {'open' if wanted else 'close'} it")

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
        self.hand.move(self.desktop.width - 150, self.desktop.height // 2)
        self.hand.wheel(direction)

    def run(self):
        self.hand.frames(5)
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
            # Some have more controls than others; those that come later still get something.
            self.part_ends = now + min(3 / (len(parts) - done), 1) * (self.ends - now)
            if self.ends <= now:
                self.left_out += 1
                continue
            walk()
            self.told(name)
        self.doing = "leaving"
        for _ in range(3):
            self.hand.act("key", "Escape")
        self.hand.send("key", "ctrl+q")
        code = self.desktop.process.wait(2 * PATIENCE)
        self.hand.close()
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
            self.hand.click(self.desktop.width // 3, self.desktop.height // 2)
        self.walk(name, lambda id: id not in before)
        for key in closing:
            self.key(key)
        self.key("Escape")

    def walk_over_all(self, name, key):
        self.insist(lambda: self.key(key), lambda: self.now() and self.layers, f"{key} does not open {name}")
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
    arguments.add_argument("--pictures", help="a folder for those of the window when something is wrong")
    arguments.add_argument("--verbose", action="store_true", help="say what is visited")
    arguments.add_argument("--strict", action="store_true", help="judge how soon it answers, too: on an idle machine")
    a = arguments.parse_args()
    size = tuple(map(int, a.size.split("x")))
    with Desktop(a.program, "pattern", "--size", "160x90", "--window", a.size, "--backend", a.backend, size=size) as desktop:
        walk = Walk(desktop, a.share, a.items, a.seed, a.only.split(",") if a.only else [], a.verbose, a.seconds, a.pictures)
        try:
            for key in a.keys.split():
                walk.key(key)
            walk.run()
        except BaseException:
            print("what was done last:", "; ".join(walk.history), flush=True)
            if a.pictures and desktop.process.poll() is None:
                desktop.look().save(os.path.join(a.pictures, "end.png"))
            raise
    answers = sorted(seconds for seconds, _ in walk.hand.answers)
    half, usual, nearly_all = (answers[int(len(answers) * share)] for share in (0.5, 0.9, 0.99))
    print(f"{walk.used} of {len(walk.visited)} controls used in {time.monotonic() - walk.started:.0f} s; {len(answers)} moves of the "
          f"mouse, half of them answered in {half * 1e3:.0f} ms, 90 % in {usual * 1e3:.0f} ms, 99 % in {nearly_all * 1e3:.0f} ms, "
          f"the slowest in {answers[-1] * 1e3:.0f} ms")
    for fault, times in walk.passing.items():
        print(f"gone when looked at again ({times} times): {fault}")
    problems = [f"{fault}  (after {doing})" for fault, doing in walk.faults.items()]
    if a.strict:
        problems += [f"not answered for {seconds:.2f} s {doing}" for seconds, doing in walk.hand.answers if seconds > FROZEN]
        if usual > ANSWER:
            problems.append(f"nine of ten moves are answered within {ANSWER} s no more")
    if walk.left_out:
        print(f"{walk.left_out} were left out for want of time.")
    elif not a.only and len(walk.visited) < 200 * a.share:
        problems.append(f"only these controls were found: {sorted(walk.visited)}")
    for problem in problems:
        print("wrong:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
