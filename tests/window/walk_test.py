"""Walks through the real window as a person would: every control that is drawn is hovered, clicked, dragged, scrolled over,
typed into and left again with real X events; what a click opens is walked through and left with Escape. After each the program
lives, has answered, and lies as it should (app/ui/parts/marks.h tells what is wrong with a frame).

    walk_test.py PROGRAM [--backend cpu|emulated] [--size 1280x720] [--keys "t"] [--share 1.0] [--seed 1] [--prompt] [--strict]

With a share, so many of the controls are used, and of each part one at least: which, the seed and their names decide. How fast
the machine is decides nothing, unless the walk is to be --prompt: nine of ten moves, clicks and keys are answered in time; or
--strict: and each of the rest before it looks frozen.
"""
import argparse
import os
import sys
import time

from desktop import Desktop, ffmpeg
from hand import PATIENCE
from walker import Walker

SECTIONS = ("Source", "Filter", "Strategy", "Timing", "View", "Sound", "Recording", "Inspect")
# The other workbenches: their keys, their sections, and which of these hold the same controls with other contents.
BENCHES = (("Time", "ctrl+shift+2", SECTIONS, ("Strategy",)),
           ("Layer", "ctrl+shift+3", ("Source", "Layer", "Learn", "Strategy", "Timing", "View", "Sound", "Recording", "Inspect"), ("Strategy",)))
# What opens beside the panels: the keys that open it, and those that close it again.
SHEETS = (("sweep", ["F8"], ["F8"]), ("inspection", ["i", "q", "j"], ["i", "q", "j"]), ("explain", ["e"], ["e"]),
          ("four panes", ["ctrl+d", "ctrl+d", "ctrl+d", "shift+2"], ["ctrl+w", "ctrl+w", "ctrl+w", "shift+1"]),
          ("split", ["ctrl+d", "shift+3"], ["ctrl+w", "shift+1"]), ("difference", ["ctrl+d", "shift+4"], ["ctrl+w", "shift+1"]))
# What lies over everything else; Escape closes it.
OVER_ALL = (("help", "F1"), ("messages", "ctrl+h"), ("palette", "ctrl+p"), ("settings", "ctrl+comma"), ("browser", "ctrl+o"),
            ("saving the session", "ctrl+s"), ("saving the filter", "ctrl+shift+s"), ("loading a filter", "ctrl+shift+o"))
ANSWER, FROZEN = 0.25, 1.0  # seconds in which nine of ten are answered, and all on an idle machine
LEAST_FOUND, LEAST_USED = 200, 280  # controls; a sample uses its share of these, or nearly so


class Walk(Walker):
    def __init__(self, *arguments, only=()):
        super().__init__(*arguments)
        self.only, self.outside = only, set()

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

    def of_the_panel(self):
        return [m["id"] for m in self.now()["marks"] if m["window"].startswith("##panel")]

    def is_open(self, title):
        """A section: something of it is drawn between its heading and the next one."""
        panel = self.of_the_panel()
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
        for turn in range(120):
            if turn == 1:
                self.hand.frames(2)  # what has just been opened is not drawn in the frame that says so
            mark = next((m for m in self.now()["marks"] if m["id"] == id), None)
            if mark and not mark["hidden"]:
                return mark
            if turn == 0:
                continue
            # Of what is above the panel's edge, its upper edge is that one. What is not drawn at all is below, or else above.
            above = mark["seen"][1] < self.desktop.height // 2 if mark else turn > 40
            self.scroll_panel(4 if above else 5)
        raise AssertionError(f"{id} cannot be scrolled into sight; it is {mark}, the mouse at {self.now()['mouse']}; "
                             f"seen: {sorted(self.marks())}")

    def scroll_panel(self, direction):
        tab = next(m for m in self.now()["marks"] if m["id"] == "workbench/image")  # the panel may be on the left, too
        self.hand.move(int(tab["seen"][0]) + 10, self.desktop.height // 2)
        self.hand.wheel(direction)

    def close_sections(self, sections):
        """Then nothing lies below the fold."""
        drawn = tuple(id.split("/")[1] for id in self.of_the_panel() if id.startswith("section/"))
        assert drawn == sections, f"the panel has the sections {drawn}; this walk knows {sections}"
        for title in sections:
            self.show_section(title, False)
        self.outside = set(self.marks())

    def parts(self):
        for title in SECTIONS:
            yield title, lambda title=title: self.walk_section(title)
        yield "rows", self.walk_rows
        for sheet in SHEETS:
            yield sheet[0], lambda sheet=sheet: self.walk_sheet(*sheet)
        for name, key in OVER_ALL:
            yield name, lambda name=name, key=key: self.walk_over_all(name, key)
        for name, section, place in (("menu of a pane", None, self.on_the_picture),
                                     ("menu of the weights", "Filter", lambda: self.centre(self.in_sight("weights"))),
                                     ("menu of the transport", None, lambda: self.centre(self.marks()["progress"]))):
            yield name, lambda name=name, section=section, place=place: self.walk_menu(name, section, place)
        yield "rendering", self.walk_rendering
        yield "the rest", lambda: self.walk("the rest", lambda id: not id.startswith("section/"))
        for bench in BENCHES:
            yield bench[0], lambda bench=bench: self.walk_bench(*bench)

    def run(self):
        self.hand.frames(5)
        self.close_sections(SECTIONS)
        for name, walk in self.parts():
            if self.only and name not in self.only:
                continue
            self.sure = None
            used, visited = self.used, len(self.visited)
            walk()
            # What a part has may all have been used before, whatever the lots say first.
            assert self.used > used or len(self.visited) == visited, f"nothing of this part was used: {name}"
            self.told(name)
        self.doing = "leaving"
        for _ in range(3):
            self.hand.act("key", "Escape")
        self.hand.send("key", "ctrl+q")
        code = self.desktop.process.wait(2 * PATIENCE)
        self.hand.close()
        assert code == 0, f"left with {code}:\n{self.desktop.output()}"

    def walk_section(self, title, anew=False):
        self.show_section(title, True)
        for turn in range(12):  # and what lies below the fold all the same
            if anew:
                self.visited.difference_update(self.of_the_panel() if turn == 0 else ())
            self.walk(title, lambda id: id not in self.outside and not id.startswith("section/"))
            self.show_panels()
            hidden = [m["id"] for m in self.now()["marks"] if m["hidden"] and not m["area"] and m["id"] not in self.visited]
            if not hidden:
                break
            self.scroll_panel(5)
        self.show_section(title, False)

    def walk_rows(self):
        """Another backend has other rows in the sections above: the row that chose it stays under the mouse."""
        above = ("Strategy", "Timing")
        for title in (*above, "View"):
            self.show_section(title, True)
        for choice in ("emulated" if self.backend == "cpu" else "cpu", self.backend):
            mark = self.in_sight("backend/" + choice)
            self.used += 1
            self.doing = "clicking on backend/" + choice
            self.hand.click(*self.centre(mark))
            self.hand.frames(10)
            self.stays("backend/" + choice, mark)
        for title in ("View", *above):
            self.show_section(title, False)

    def walk_sheet(self, name, opening, closing):
        before = set(self.marks())
        for key in opening:
            self.key(key)
        if name in ("inspection", "explain"):
            self.hand.click(*self.on_the_picture())
        self.visited.difference_update(set(self.marks()) - before)  # another look of the same is walked through, too
        self.walk(name, lambda id: id not in before)
        for key in closing:
            self.key(key)
        self.key("Escape")

    def walk_over_all(self, name, key):
        self.insist(lambda: self.key(key), lambda: self.now() and self.layers, f"{key} does not open {name}")
        self.visited.discard(min(self.marks(), key=self.lot))  # the same sheet may have been opened by a button
        self.walk_layer(key, 0, lambda: self.key(key), None)

    def on_the_picture(self):
        """Beside the panels, which the settings may have put on the left."""
        left = any(id.startswith("section/") and self.centre(mark)[0] < self.desktop.width // 2 for id, mark in self.marks().items())
        return self.desktop.width * (2 if left else 1) // 3, self.desktop.height // 2

    def walk_menu(self, name, section, place):
        def open_menu():
            self.show_panels()
            self.doing = "the " + name
            self.hand.click(*place(), button=3)
        if section:
            self.show_section(section, True)
        self.insist(open_menu, lambda: self.now() and self.layers, f"a right click does not open the {name}")
        self.walk_layer(name, 0, open_menu, None if self.share >= 1 else self.items)
        if section:
            self.show_section(section, False)

    def open_source(self, name):
        self.show_section("Source", True)
        self.hand.click(*self.centre(self.in_sight("open-path")))
        self.key("ctrl+a")
        self.doing = "opening " + name
        self.hand.act("type", "--delay", 5, name)
        self.key("Return")
        self.show_section("Source", False)

    def walk_rendering(self):
        """Of a clip, since the pattern never ends."""
        clip = os.path.join(self.desktop.folder.name, "clip.mp4")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x90:rate=30:duration=120", "-c:v", "mpeg4", clip)
        self.open_source(clip)

        def render():
            self.leave(0)
            self.key("ctrl+e")
            self.key("Return")
        self.insist(render, lambda: self.now() and "##render" in self.layers, "ctrl+e and Return do not begin to render")
        self.walk_layer("ctrl+e", 0, render, None)
        self.open_source("pattern")

    def walk_bench(self, name, key, sections, anew):
        self.show_panels()
        self.key(key)
        self.until(lambda: "section/" + sections[1] in self.of_the_panel(), 10)
        self.close_sections(sections)
        for title in sections:
            if title == "Learn":
                self.insist(lambda: self.key("shift+F3"), lambda: self.is_open("Learn"), "shift+F3 does not open the Learn panel")
            self.walk_section(title, anew=title in anew)
        if "Learn" in sections:
            for _ in range(2):  # it learns, and pauses
                self.key("ctrl+F3")
                self.hand.frames(10)


def judge(walk, a):
    """What is wrong with the whole of it, a sentence each."""
    problems = [f"{fault}  (after {doing})" for fault, doing in walk.faults.items()]
    for kind, answers in walk.hand.answers.items():
        seconds = sorted(answer for answer, _ in answers)
        half, usual, nearly_all = (seconds[int(len(seconds) * share)] for share in (0.5, 0.9, 0.99))
        print(f"{len(answers)} times a {kind}: half of them answered in {half * 1e3:.0f} ms, 90 % in {usual * 1e3:.0f} ms, "
              f"99 % in {nearly_all * 1e3:.0f} ms, the slowest in {seconds[-1] * 1e3:.0f} ms ({max(answers)[1]})")
        if a.strict:
            problems += [f"not answered for {answer:.2f} s {doing}" for answer, doing in answers if answer > FROZEN]
        if (a.strict or a.prompt) and usual > ANSWER:
            problems.append(f"nine of ten times a {kind} is answered within {usual:.2f} s, not within {ANSWER} s")
    least_used = LEAST_USED * (1 if a.share >= 1 else 0.5 * a.share)
    if not a.only and len(walk.found) < LEAST_FOUND:
        problems.append(f"only these controls were found: {sorted(walk.found)}")
    if not a.only and walk.used < least_used:
        problems.append(f"only {walk.used} controls were used, of {least_used:.0f} at least")
    return problems


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--backend", default="cpu")
    arguments.add_argument("--size", default="1280x720")
    arguments.add_argument("--keys", default="", help="pressed first: t for the light theme, F12 for the projector")
    arguments.add_argument("--share", type=float, default=1, help="of the controls that are used")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", default="", help="these parts: Source,sweep,…")
    arguments.add_argument("--pictures", help="a folder for those of the window when something is wrong")
    arguments.add_argument("--verbose", action="store_true", help="say what is visited")
    arguments.add_argument("--prompt", action="store_true", help="judge how soon it answers nine times of ten: with nothing beside it")
    arguments.add_argument("--strict", action="store_true", help="judge every answer: on an idle machine")
    a = arguments.parse_args()
    size = tuple(map(int, a.size.split("x")))
    with Desktop(a.program, "pattern", "--size", "160x90", "--window", a.size, "--backend", a.backend, size=size) as desktop:
        walk = Walk(desktop, a.backend, a.share, a.seed, a.verbose, a.pictures, only=a.only.split(",") if a.only else [])
        try:
            for key in a.keys.split():
                walk.key(key)
            walk.run()
        except BaseException:
            print("what was done last:", "; ".join(walk.history), flush=True)
            if a.pictures and desktop.process.poll() is None:
                desktop.look().save(os.path.join(a.pictures, "end.png"))
            raise
    print(f"{walk.used} of {len(walk.found)} controls used in {time.monotonic() - walk.started:.0f} s")
    for fault, times in walk.passing.items():
        print(f"gone when looked at again ({times} times): {fault}")
    problems = judge(walk, a)
    for problem in problems:
        print("wrong:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
