"""Goes from control to control of the real window: what walk_test.py does to each of them, and what it finds wrong."""
import collections
import os
import random
import re
import time

from hand import PATIENCE, Hand

# Two presses that are nearer and sooner are a double click.
BESIDE, DOUBLE_CLICK = 8, 0.35
LOOKS = 3  # at what is gone again when it is looked at twice
# What goes on, or stands in the way of what comes: the key gives that up again.
GIVEN_UP = {"sweep-start": "shift+F8", "workbench/volume": "ctrl+shift+1", "workbench/layer": "ctrl+shift+1",
            "menu/Start or stop recording": "r", "menu/Explain this pixel": "e", "menu/Magnifier on this pixel": "q",
            "menu/Show or hide the panels": "Tab", "menu/Add a pane to compare with": "ctrl+w"}
# It ends the walk rather than a control's visit.
LEFT_ALONE = {"fullscreen", "menu/Full screen"}
# What is another size or place of everything by its name, or is scrolled to where there is room for what it opens.
MOVES = re.compile(r"section/|workbench/|(smaller|larger|auto)-text$|projector$|panels-left$|hide-panels$")
# There are a hundred and more, all alike: so many of them are used.
MANY_ALIKE, OF_MANY = re.compile(r"bank/\d+/"), 0.05
POPUPS = ("##Combo", "##Popup", "##Menu")


def over_the_rest(window):
    """By the name of its outermost window."""
    return window.startswith(POPUPS + ("##palette", "##render")) or window.endswith(("-sheet", "-window"))


def without_numbers(fault):
    return "".join(c for c in fault if not c.isdigit())


class Walker:
    def __init__(self, desktop, backend, share, seed, verbose, pictures):
        self.desktop, self.hand, self.backend, self.share, self.seed = desktop, Hand(desktop), backend, share, seed
        self.verbose, self.pictures, self.used = verbose, pictures, 0
        self.items = 3 if share >= 1 else 1  # of a list that are chosen
        self.sure = None  # the control that a sample has for sure of the part that is walked through
        self.visited, self.found, self.faults = set(), set(), {}
        self.passing, self.looking = collections.Counter(), False
        self.layers = []  # that lie over the rest, in the order in which they opened
        self.openers = []  # what opens each of them
        self.history = collections.deque(maxlen=12)
        self.started = time.monotonic()

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
            self.found_wrong(fault)
        self.looking = False

    def found_wrong(self, fault):
        print(f"fault: {fault}  (after {self.doing})", flush=True)
        self.faults[fault] = self.doing
        if self.pictures:
            self.desktop.look().save(os.path.join(self.pictures, f"fault-{len(self.faults)}.png"))

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

    def left(self, wanted=lambda id: True):
        """The controls in reach that nobody has been to; another choice of a row last, as it may replace what is drawn."""
        here = self.marks()
        self.found.update(here)
        rows = {id.rpartition("/")[0] for id in self.visited if "/" in id}
        return sorted((id for id in here if id not in self.visited and wanted(id)), key=lambda id: id.rpartition("/")[0] in rows)

    def lot(self, id):
        """From 0 to 1, the same in every walk with this seed."""
        return random.Random(f"{self.seed} {id}").random()

    def is_chosen(self, id, among):
        """Whether a sample has it: so many of all, and of each part one at least."""
        if self.sure is None:
            self.sure = min(among, key=self.lot)
        return id == self.sure or self.lot(id) <= self.share * (OF_MANY if MANY_ALIKE.match(id) else 1)

    @staticmethod
    def centre(mark):
        x0, y0, x1, y1 = mark["seen"]
        return int((x0 + x1) / 2), int((y0 + y1) / 2)

    def key(self, name):
        self.doing = "the key " + name
        self.hand.act("key", name, frames=2)

    def click(self, id, button=1):
        mark = self.marks().get(id)
        if mark:
            self.doing = f"clicking on {id}"
            self.hand.click(*self.centre(mark), button)

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
        self.used += 1
        x, y = self.centre(mark)
        layers = len(self.layers)
        if self.verbose:
            self.told(id)
        self.doing = "hovering over " + id
        self.hand.move(x, y)
        self.hand.frames(1)  # a hint is hidden in its first
        if mark["disabled"]:
            return
        typing = self.now()["wants_text"] and not id.endswith(("path", "name", "folder", "search"))  # of a sheet's field
        self.doing = "clicking on " + id
        self.hand.press()
        self.hand.release()
        self.now()
        if len(self.layers) > layers:
            self.walk_layer(id, layers, lambda: self.click(id), self.items)
        elif self.now()["wants_text"] and not typing:
            self.doing = "typing into " + id
            self.hand.act("type", "--delay", 5, "1é")
            if self.now()["wants_text"]:
                self.key("Escape")
        mark = self.stays(id, mark) if len(self.layers) == layers else self.marks().get(id)
        if mark and not mark["disabled"] and len(self.layers) == layers:
            self.drag_and_scroll(id, mark)
        if id in GIVEN_UP:
            self.key(GIVEN_UP[id])
        row, _, choice = id.rpartition("/")
        if row.endswith("backend") and choice != self.backend:
            self.click(f"{row}/{self.backend}")
        self.leave(layers)

    def stays(self, id, before):
        """Its mark, after the click: in the column of panels its row lies where it was, whatever has become of the others."""
        if "##sections" not in before["window"] or MOVES.search(id):
            return self.marks().get(id)
        # What is computed elsewhere changes what is drawn later; what is corrected is so a frame later.
        self.until(lambda: not self.hand.state()["busy"], 2)
        self.hand.frames(3)
        # Of what has left the sight too, which is out of reach.
        mark = next((m for m in self.hand.state()["marks"] if m["id"] == id), None)
        if mark and (mark["hidden"] or abs(mark["seen"][1] - before["seen"][1]) > 2):
            self.found_wrong(f"{id} moved from under the mouse, from y = {before['seen'][1]:.0f} to {mark['seen'][1]:.0f}.")
        return self.marks().get(id)

    def drag_and_scroll(self, id, mark):
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
        self.hand.release(frames=1)
        self.now()
        self.doing = "scrolling over " + id
        self.hand.wheel(4, 5)

    def open_layers(self, count):
        """What opens them again, from the lowest that is closed on."""
        for open_next in self.openers[len(self.layers):count]:
            open_next()
            self.now()

    def walk_layer(self, opener, below, open_it, most):
        """What has opened over the rest: all of it, or of a list at most so many. What closes it is followed by opening it
        again."""
        name, is_list = self.layers[-1], self.layers[-1].startswith(POPUPS)
        self.openers[below:] = [open_it]
        if not self.until(self.marks, 3):
            self.found_wrong(f"{name} has opened, and nothing in it has a mark.")
        chosen = None
        for _ in range(80):
            if len(self.layers) <= below or self.layers[-1] != name:
                self.leave(below)
                self.doing = "opening again with " + opener
                self.open_layers(below + 1)
                if len(self.layers) <= below or self.layers[-1] != name:
                    break
            new = self.left()
            if is_list:
                if chosen is None:
                    chosen = sorted(new, key=self.lot)[:most]
                    self.visited.update(new)
                new = chosen
            if not new:
                break
            id = new.pop(0)
            self.visited.add(id)
            if is_list or self.is_chosen(id, [id, *new]):
                self.visit(id)
            self.now()
        self.leave(below)
        del self.openers[below:]

    def walk(self, what, wanted):
        """Visits every control of `wanted(id)` that is in sight, also those that appear meanwhile."""
        for _ in range(400):
            self.leave(0)
            left = self.left(wanted)
            if not left:
                return
            self.visited.add(left[0])
            if self.is_chosen(left[0], left):
                self.visit(left[0])
        raise AssertionError(f"{what} never ends: controls keep appearing")

    def told(self, what):
        print(f"{time.monotonic() - self.started:6.1f} s  {what}: {len(self.found)} controls found, {self.used} used", flush=True)
