"""Plays with the window at random, as an impatient person does, with real X events, and says when it dies, hangs or grows.

    monkey.py PROGRAM [--seconds 60] [--seed 1] [--size 1280x720] [--backend cpu] [--display :N] [--report 60] [-- OPTION…]

Clicks, double clicks, drags, the wheel, keys, typed texts, dropped files good and bad, resizes. Every report has memory
and what most of it is, threads and open files, and how long the window took to see the mouse after all that was done before. Exit
code 0: it lived, answered within --answer seconds, left with 0, and from the second third of the run to the last the medians did not
grow more than --growth and --more-… allow: what is open at one moment or another differs, and the first third is for warming up.

What may differ for longer than a moment, so that a median tells it:
- threads: those of a clip's decoder and of a recording's encoder, one a core each and at most MOST_OF_A_CODEC (decoder.cpp,
  encoder.cpp): they are allowed for, whatever the number of cores, beside --more-threads. Of the rest a recording has two (its
  own, and the encoder's that looks ahead), stills, compiler and planner one each from their first job on; the pool of the
  cores, panes, checks, learner, health, keeper, the two of the disk and the source's own are there all the time.
- files, five: the clip, the recording, the clip once more for a recording's sound, and the two pipes of a sweep. What is read or
  written within a moment adds to no median: the next source, a clip's index, folder, thumbnail, screenshot, session, settings.
"""
import argparse
import collections
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from desktop import Desktop, ffmpeg

try:  # dropping needs python3-xlib; a machine without it plays without drops
    from drop import drop
except ImportError:
    drop = None

KEYS = ("n shift+n p g shift+g b v w z x i q j e t c m k o u h l r s a F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F12 ctrl+m ctrl+shift+m ctrl+p ctrl+d ctrl+w ctrl+l ctrl+z "
        "ctrl+shift+1 ctrl+shift+2 ctrl+shift+3 ctrl+shift+3 shift+F3 ctrl+F3 "
        "ctrl+y ctrl+o ctrl+v ctrl+s ctrl+shift+s Escape Escape Escape Tab Up Down Left Right Home End space period comma 1 2 3 4 "
        "shift+1 shift+2 shift+3 shift+4 shift+5 Return ctrl+a BackSpace bracketleft bracketright backslash Page_Up Page_Down 0").split()
TEXTS = ("gauss", "radius=3", "7", "0.25", "-1e9", "1 2 1; 2 4 2; 1 2 1", "/no/such/file", "nan", "ünïcödé", "9" * 40, "~/", "*.png")

MOST_OF_A_CODEC = 16  # threads of a decoder, and of an encoder
TO_LEAVE = 400  # seconds: a busy machine first draws all that was done
# Of a program with sanitizers: where it aborted, and where what is undefined was done.
HOW_IT_DIES = {"ASAN_OPTIONS": "detect_leaks=0:handle_abort=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
HEAP = 64 << 20  # what a heap of glibc's begins at a multiple of


def resident(pid):
    """MB, by what lies there: a file's name, malloc's heaps, or blocks that are mapped by themselves (large ones, stacks, a driver's)."""
    found, name = collections.Counter(), None
    with open(f"/proc/{pid}/smaps") as lines:
        for line in lines:
            if place := re.match(r"([0-9a-f]+)-[0-9a-f]+ \S+ \S+ \S+ \S+ *(.*)\n", line):
                in_heap = place[2] == "[heap]" or not place[2] and int(place[1], 16) % HEAP == 0
                name = "heaps" if in_heap else os.path.basename(place[2]) or "blocks"
            elif line.startswith("Rss:"):
                found[name] += int(line.split()[1]) / 1024
    return found


def largest(parts, most=6):
    return ", ".join(f"{name} {mb:.0f}" for name, mb in sorted(parts.items(), key=lambda part: -part[1])[:most] if mb >= 1)


def threads_of_codecs():
    return 2 * min(os.cpu_count(), MOST_OF_A_CODEC)


def growth(states):
    """Of each column, memory, threads and files: the median of the last third of the states less that of the second."""
    third = len(states) // 3
    second, last = states[len(states) - 2 * third:len(states) - third], states[len(states) - third:]
    return [statistics.median(a) - statistics.median(b) for a, b in zip(zip(*last), zip(*second))]


class Monkey:
    def __init__(self, desktop, seed, folder, keys=KEYS):
        self.desktop, self.random, self.done, self.keys = desktop, random.Random(seed), [], keys
        self.slowest = 0  # answer, in seconds
        self.parts = []  # of memory, with each state
        self.files = self.make_files(folder)

    @staticmethod
    def make_files(folder):
        clip, picture = os.path.join(folder, "clip.mp4"), os.path.join(folder, "pict ure.png")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10:duration=3", "-pix_fmt", "yuv420p", clip)
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=100x60", "-frames:v", "1", picture)
        broken, empty = os.path.join(folder, "broken.mkv"), os.path.join(folder, "empty.json")
        with open(clip, "rb") as whole, open(broken, "wb") as cut:
            cut.write(whole.read()[:5000])
        open(empty, "w").close()
        return [clip, picture, broken, empty, folder, os.path.join(folder, "gone.mp4")]

    def spot(self):
        return self.random.randint(1, self.desktop.width - 2), self.random.randint(1, self.desktop.height - 2)

    def act(self):
        x, y, pick, (px, py) = self.desktop.xdotool, None, self.random.random(), self.spot()
        if pick < 0.40:
            self.done.append(f"click {px},{py}")
            x("mousemove", px, py, "click", "--delay", 0, 1)
        elif pick < 0.45:
            self.done.append(f"double click {px},{py}")
            x("mousemove", px, py, "click", "--repeat", 2, "--delay", 60, 1)
        elif pick < 0.49:
            self.done.append(f"right click {px},{py}")
            x("mousemove", px, py, "click", "--delay", 0, 3)
        elif pick < 0.54:
            self.done.append(f"wheel {px},{py}")
            x("mousemove", px, py, "click", "--delay", 0, self.random.choice((4, 5)))
        elif pick < 0.62:
            qx, qy = self.spot()
            self.done.append(f"drag {px},{py} to {qx},{qy}")
            x("mousemove", px, py, "mousedown", 1, "mousemove", (px + qx) // 2, (py + qy) // 2, "mousemove", qx, qy, "mouseup", 1)
        elif pick < 0.66:
            text = self.random.choice(TEXTS)
            self.done.append("type " + text)
            x("type", "--delay", 5, "--", text)
        elif pick < 0.68 and drop:
            files = self.random.sample(self.files, self.random.choice((1, 1, 1, 3)))
            self.done.append(f"drop {files}")
            drop(self.desktop.display, self.desktop.window, files, px, py, seconds=2)
        elif pick < 0.69:
            width, height = self.random.choice(((640, 480), (800, 600), (1280, 720), (self.desktop.width, self.desktop.height)))
            self.done.append(f"resize {width}x{height}")
            x("windowsize", self.desktop.window, width, height)
        else:
            key = self.random.choice(self.keys)
            self.done.append("key " + key)
            x("key", key)

    def state(self):
        """(MB resident, threads, open files)"""
        pid = self.desktop.process.pid
        self.parts.append(resident(pid))
        with open(f"/proc/{pid}/status") as status:
            lines = dict(line.split(":", 1) for line in status if ":" in line)
        return int(lines["VmRSS"].split()[0]) // 1024, int(lines["Threads"]), len(os.listdir(f"/proc/{pid}/fd"))

    def pulse(self, patience):
        """How long the window takes to see where the mouse is, and so to take all that was sent before; None: longer than this."""
        spot, started = self.random.randint(100, 300), time.monotonic()
        self.desktop.xdotool("mousemove", "--window", self.desktop.window, spot, 200)
        while self.desktop.process.poll() is None:
            seconds, (x, y) = time.monotonic() - started, self.desktop.marks()["mouse"]
            if abs(x - spot) < 1 and abs(y - 200) < 1:
                self.slowest = max(self.slowest, seconds)
                return seconds
            if seconds > patience:
                return None
            time.sleep(0.02)
        return 0  # what it ended with is told elsewhere

    def fail(self, what):
        return f"{what} after {len(self.done)} actions; the last: {'; '.join(self.done[-40:])}\n{self.desktop.output()[-12000:]}"

    def use_everything_once(self):
        """Every strategy of each workbench, a recording and a layer that learns: a library, a codec and a kernel take memory at
        their first use, which is no growth and comes at any time of a random hour."""
        x = self.desktop.xdotool

        def use(strategies):
            x("key", "r")
            for _ in range(strategies):
                if self.desktop.process.poll() is None:
                    x("key", "n")
                    time.sleep(0.4)
            x("key", "r")

        for workbench, strategies in (("ctrl+shift+1", 45), ("ctrl+shift+2", 15), ("ctrl+shift+3", 20)):
            x("key", workbench)
            use(strategies)
        # cuDNN alone takes 120 MB more for tf32 than for float32.
        for number_type in ("tf32", "f16", "f32"):
            self.desktop.click_mark("layer-type/" + number_type)
            use(20)
        x("key", "shift+F3", "key", "ctrl+F3")
        time.sleep(3)
        x("key", "ctrl+F3", "key", "ctrl+shift+1")

    def play(self, seconds, report, patience):
        """A sentence about what went wrong, or None; and every state seen."""
        states, started, shown = [], time.monotonic(), time.monotonic()
        while time.monotonic() - started < seconds:
            if self.desktop.process.poll() is not None:
                return self.fail(f"it died with {self.desktop.process.returncode}"), states
            self.act()
            time.sleep(0.05)
            if self.desktop.process.poll() is not None:
                continue
            if time.monotonic() - shown > report:
                shown = time.monotonic()
                answered = self.pulse(patience)
                if answered is None:
                    return self.fail(f"it does not answer within {patience:g} s\n{self.desktop.what_it_shows()}{self.desktop.stacks()}"), states
                if self.desktop.process.poll() is None:
                    states.append(self.state())
                    print("%5.0f s  %d actions  %d MB  %d threads  %d files  answered in %.2f s" %
                          (shown - started, len(self.done), *states[-1], answered), flush=True)
                    print("        of it " + largest(self.parts[-1]), flush=True)
        if self.desktop.process.poll() is not None:
            return self.fail(f"it died with {self.desktop.process.returncode}"), states
        states.append(self.state())
        for _ in range(4):
            self.desktop.xdotool("key", "Escape")
            time.sleep(0.2)
        self.desktop.xdotool("key", "ctrl+q")
        # What it has not come to yet is obeyed first, some events a frame, and a software renderer draws few frames a second.
        end = time.monotonic() + TO_LEAVE
        while self.desktop.process.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        if self.desktop.process.poll() is None:
            return self.fail(f"it did not leave within {TO_LEAVE} s\n" + self.desktop.stacks()), states
        return (self.fail(f"it left with {self.desktop.process.returncode}") if self.desktop.process.returncode else None), states


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--size", default="1280x720")
    arguments.add_argument("--backend", default="cpu")
    arguments.add_argument("--display", help="a running one, drawn by a GPU say; else an Xvfb of its own")
    arguments.add_argument("--report", type=float, default=20)
    arguments.add_argument("--answer", type=float, default=10, help="seconds in which it answers, whatever was done before")
    arguments.add_argument("--growth", type=float, default=1e9, help="MB of memory, from the median of the second third to that of the last")
    arguments.add_argument("--more-threads", type=float, default=1e9, help="likewise, beside those of the codecs")
    arguments.add_argument("--more-files", type=float, default=1e9, help="open, likewise")
    arguments.add_argument("--all-first", action="store_true", help="begin with everything that takes memory once")
    a, options = arguments.parse_known_args()
    size = tuple(map(int, a.size.split("x")))
    with tempfile.TemporaryDirectory() as folder, \
            Desktop(a.program, "pattern", "--size", "320x180", "--window", a.size, "--backend", a.backend,
                    *[o for o in options if o != "--"],
                    environment={"HOME": folder, **HOW_IT_DIES}, size=size, display=a.display) as desktop:
        if a.display:  # where no window manager puts it, it lies in the middle, and hands go by the screen's corner
            desktop.xdotool("windowmove", desktop.window, 0, 0)
        # A soak of a GPU is one of what runs there: K would leave it for the emulator or the CPU.
        monkey = Monkey(desktop, a.seed, folder, [key for key in KEYS if key != "k" or a.backend != "cuda"])
        if a.all_first:
            monkey.use_everything_once()
        problem, states = monkey.play(a.seconds, a.report, a.answer)
    print(f"{len(monkey.done)} actions; memory, threads and files at the end: {states[-1] if states else None}; the slowest answer took "
          f"{monkey.slowest:.2f} s")
    if problem:
        print(f"wrong (seed {a.seed}): {problem}")
        return 1
    limits = (a.growth, a.more_threads + threads_of_codecs(), a.more_files)
    if len(states) < 6:
        if min(a.growth, a.more_threads, a.more_files) < 1e9:
            print(f"wrong: {len(states)} reports are too few to tell whether it grew")
            return 1
        return 0
    grown = [f"the median of {what} grew by {by:g}" for what, by, most in zip(("memory in MB", "threads", "open files"), growth(states), limits)
             if by > most]
    print("grew from the second third to the last by %g MB, %g threads, %g files" % tuple(growth(states)))
    names = sorted(set().union(*monkey.parts))
    by_part = dict(zip(names, growth([[parts[name] for name in names] for parts in monkey.parts])))
    print("what grew, in MB: " + (largest(by_part) or "nothing"))
    if grown:
        print("wrong: " + "; ".join(grown))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
