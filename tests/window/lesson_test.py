"""docs/first-ten-minutes.md, step by step, with mouse and keys only: a first start, with the source beside its filtered picture;
opens a file, chooses a filter, adds a pane, wipes, takes the difference, edits a weight while it plays, compares times, shares a
picture, records three seconds and quits. What is on the screen is looked at after each step, and the page names each of them."""
import glob
import json
import os
import re
import shutil
import struct
import sys
import tempfile
import time
import unittest

from desktop import HEIGHT, WIDTH, Desktop, Picture, ffmpeg, probe

PROGRAM = None
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "first-ten-minutes.md")
SECONDS = 3  # that are recorded

# The clip is flat grey but for a box that moves along its lower part.
SOURCE = 0x60
BOX = 0xF0
# The Laplacian of flat grey is 0, shown as a bias of one half.
FILTERED = 128
# With this weight above the middle, where 1 was, all sum up to -1/3 and flat grey stays as it is: 128 - 96 / 3.
WEIGHT = "2/3"

# The picture beside the panels, and in the grid of three: inside each pane, below its card; beside the third one.
LEFT, MIDDLE, RIGHT = (100, 300), (500, 300), (850, 300)
PANES = [(200, 255), (660, 255), (430, 530)]
BESIDE_THE_THIRD = (60, 500)
BOX_PATH = (0, 515, 900, 525)
# Where the wipe's first line lies at first, and where it is dragged to.
LINE, DROPPED, LEVEL = 305, 560, 330


def is_grey(seen, value, within=16):
    return all(abs(c - value) <= within for c in seen)


def box_width(picture):
    """Where the path of the box is brighter than what is around it."""
    row = picture.region(BOX_PATH[0], BOX_PATH[1], BOX_PATH[2], BOX_PATH[1] + 1)
    return sum(1 for value in row[1::3] if value > 200)


def texts_of(path):
    """{key: text} that a PNG holds beside its picture."""
    with open(path, "rb") as file:
        data, at, found = file.read(), 8, {}
    while at < len(data):
        length, chunk = struct.unpack(">I4s", data[at:at + 8])
        if chunk == b"tEXt":
            key, text = data[at + 8:at + 8 + length].split(b"\0", 1)
            found[key.decode("latin-1")] = text.decode("latin-1")
        at += 12 + length
    return found


class Lesson(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.clip = os.path.join(cls.temporary.name, "lesson.mp4")
        grey, box = (f"color=0x{value:02x}{value:02x}{value:02x}:rate=10:size=" for value in (SOURCE, BOX))
        ffmpeg("-f", "lavfi", "-i", grey + "320x180", "-f", "lavfi", "-i", box + "40x30", "-f", "lavfi", "-i", "sine=440",
               "-filter_complex", "[0][1]overlay=x='mod(t*40,280)':y=140", "-t", 60, "-pix_fmt", "yuv420p", "-preset",
               "ultrafast", "-c:a", "aac", cls.clip)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def see(self, condition, what):
        """Waits until the screen is as it should be; the picture that was."""
        def look():
            picture = self.desktop.look()
            return picture if condition(picture) else None
        return self.desktop.wait_for(look, what, 90)

    def see_grey(self, expected, what):
        return self.see(lambda picture: all(is_grey(picture.at(*place), value) for place, value in expected.items()), what)

    def plays(self, what):
        before = self.desktop.look()
        self.see(lambda picture: picture.changed(before, *BOX_PATH) > 0.01, "the box to move " + what)

    def hold_and_drag(self, x0, y0, x1, y1):
        """As slowly as a software renderer follows."""
        self.desktop.xdotool("mousemove", x0, y0)
        self.desktop.frames(2)
        self.desktop.xdotool("mousedown", 1)
        self.desktop.frames(2)
        for step in (1, 2, 3):
            self.desktop.xdotool("mousemove", x0 + (x1 - x0) * step // 3, y0 + (y1 - y0) * step // 3)
            self.desktop.frames(2)
        self.desktop.xdotool("mouseup", 1)
        self.desktop.frames(2)

    def run_command(self, words):
        """By the command palette."""
        self.desktop.key("ctrl+p")
        self.desktop.enter(words, "the palette's field")

    def test_the_lesson(self):
        with Desktop(PROGRAM, "--size", "320x180", "--rate", "5", "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu") as self.desktop:
            self.see(lambda picture: picture.contrast(330, 120, 880, 560) > 0.3, "the test pattern")
            for step in self.steps():
                started = time.monotonic()
                step()
                print(f"{step.__name__}: {time.monotonic() - started:.1f} s", flush=True)
        self.opens_what_was_shared()

    def steps(self):
        return (self.opens_the_file, self.chooses_a_filter, self.adds_a_pane, self.wipes, self.takes_the_difference,
                self.edits_a_weight, self.compares_times, self.shares_a_picture, self.records, self.quits)

    def test_the_page_has_these_steps(self):
        with open(PAGE, encoding="utf-8") as file:
            named = re.findall(r"<!-- step: (\w+) -->", file.read())
        self.assertEqual(named, ["starts", *(step.__name__ for step in self.steps()), "opens_what_was_shared"])

    def opens_the_file(self):
        self.desktop.key("ctrl+o")
        self.desktop.enter(self.clip, "the browser's field")
        self.see_grey({LEFT: SOURCE, RIGHT: SOURCE}, "the clip")
        self.assertIn("lesson.mp4", self.desktop.xdotool("getwindowname", self.desktop.window).stdout)
        self.plays("after opening")

    def chooses_a_filter(self):
        self.run_command("filter laplacian")
        self.see_grey({LEFT: SOURCE, RIGHT: FILTERED}, "the source beside the filtered clip")

    def adds_a_pane(self):
        self.desktop.key("ctrl+d", "shift+2")
        first, second, third = PANES
        self.see_grey({first: SOURCE, second: FILTERED, third: FILTERED}, "two strategies beside the source")
        self.see(lambda picture: max(picture.at(*BESIDE_THE_THIRD)) < 60, "a grid of three")

    def wipes(self):
        self.desktop.key("shift+3")
        self.see_grey({LEFT: SOURCE, MIDDLE: FILTERED, RIGHT: FILTERED, (LINE, LEVEL): 255}, "three panes beside one another")
        self.hold_and_drag(LINE, LEVEL, DROPPED, LEVEL)
        self.see_grey({LEFT: SOURCE, MIDDLE: SOURCE, RIGHT: FILTERED, (DROPPED, LEVEL): 255}, "the line where it was dropped")

    def takes_the_difference(self):
        difference = 4 * (FILTERED - SOURCE)
        self.desktop.click(*RIGHT)  # the third pane is the active one
        self.desktop.key("shift+4", "ctrl+2")
        self.see_grey({LEFT: 0, RIGHT: 0}, "no difference between two strategies")
        self.desktop.key("ctrl+1")
        self.see_grey({LEFT: difference, RIGHT: difference}, "the difference from the source")

    def edits_a_weight(self):
        self.desktop.key("w", "Up")
        self.desktop.type(WEIGHT)
        self.desktop.key("Return")
        self.see_grey({LEFT: 0, RIGHT: 0}, "no difference on flat grey")
        self.see(lambda picture: box_width(picture) > 20, "the difference at the box")
        self.plays("after the edit")
        self.desktop.key("Escape")  # the keyboard is the picture's again

    def compares_times(self):
        self.desktop.key("shift+2", "F3", "F4", "ctrl+b")  # the third pane is the active one
        for row in ("baseline/2", "baseline/3"):
            self.desktop.wait_for(lambda row=row: self.desktop.drawn(row), "the pane's row in the Timing panel")

    def shares_a_picture(self):
        def measured():
            """A new screenshot, whose session has an interval for each strategy; that takes 30 frames of each."""
            before = set(glob.glob(os.path.join(self.desktop.folder.name, "*.png")))
            self.desktop.key("s")
            new = self.desktop.wait_for(lambda: set(glob.glob(os.path.join(self.desktop.folder.name, "*.png"))) - before, "a screenshot")
            session = json.loads(texts_of(new.pop())["convoscope"])
            panes = session["measured"]["panes"]
            told = len(panes) == 2 and all(pane["interval_ms"][1] > 0 for pane in panes)
            return told and session

        session = self.desktop.wait_for(measured, "times of both strategies", 180)
        self.assertEqual(session["baseline_pane"], 2)
        for pane in session["measured"]["panes"]:
            low, high = pane["interval_ms"]
            self.assertTrue(0 < low <= pane["median_ms"] <= high, pane)
        self.assertNotEqual(*(pane["strategy"] for pane in session["measured"]["panes"]))
        # Beside the clip: a session that somebody was given opens what lies in its own folder.
        shot = sorted(glob.glob(os.path.join(self.desktop.folder.name, "*.png")))[-1]
        self.shared = shutil.copy(shot, os.path.join(self.temporary.name, "shared.png"))
        self.desktop.key("shift+4")
        self.see_grey({LEFT: 0, RIGHT: 0}, "the difference again")

    def records(self):
        def mark(picture):  # the red dot at the bottom left of the picture
            row = picture.region(16, 635, 40, 636)
            return any(row[i] > 180 and max(row[i + 1:i + 3]) < 130 for i in range(0, len(row), 3))

        self.assertFalse(mark(self.desktop.look()))
        self.desktop.key("Home")  # so that the clip does not begin anew within the recording, where its sound would end
        self.desktop.frames(2)
        started = time.monotonic()
        self.desktop.key("r")
        self.see(mark, "the mark of a recording")
        time.sleep(SECONDS)
        self.desktop.key("r")
        self.desktop.wait_for(lambda: "Recorded" in self.desktop.output(), "the recording to end", 90)
        longest = time.monotonic() - started
        self.see(lambda picture: not mark(picture), "the mark to go")
        self.plays("after the recording")

        [path] = glob.glob(os.path.join(self.desktop.folder.name, "*.mkv"))
        probed = probe(path)
        picture, sound = ([s for s in probed["streams"] if s["codec_type"] == kind] for kind in ("video", "audio"))
        self.assertEqual((len(picture), len(sound)), (1, 1))
        self.assertEqual((picture[0]["width"], picture[0]["height"]), (WIDTH, HEIGHT))
        frames = int(picture[0]["nb_read_frames"])
        self.assertIn(f"Recorded {frames:,} frames", self.desktop.output())
        duration = float(probed["format"]["duration"])
        print(f"{frames} frames, {duration} s", flush=True)
        self.assertGreater(frames, 2)
        self.assertLessEqual(frames, 10 * duration + 2, "no more than the source has")
        self.assertGreater(duration, SECONDS - 0.5)
        self.assertLess(duration, longest + 0.5)
        # A renderer that falls behind the clip leaves gaps in the sound, so that the rest stays in step: on a machine that
        # hardly draws, all of it may be a gap.
        sounds = int(sound[0].get("nb_read_frames", 0)) * 1024 / int(sound[0]["sample_rate"])
        self.assertLess(sounds, duration + 1, "of sound for the seconds of pictures")
        if frames > 2 * duration:
            self.assertGreater(sounds, 0.2, f"seconds of sound for {duration} s of pictures")
        self.check_metadata({k.lower(): v for k, v in probed["format"]["tags"].items()})
        self.check_last_picture(path, frames)

    def check_metadata(self, tags):
        settings = json.loads(tags["convoscope"])
        self.assertEqual(settings["view"], "difference")
        self.assertIn("lesson.mp4", settings["source"])
        first, second, third = settings["panes"]
        self.assertEqual(first["strategy"], "source")
        self.assertNotEqual(second["strategy"], third["strategy"])
        for pane in (second, third):  # they are linked
            self.assertEqual(pane["filter"]["width"], 3)
            self.assertAlmostEqual(pane["filter"]["weights"][1], 2 / 3, places=5)
            self.assertIn(pane["strategy"], tags["comment"])

    def check_last_picture(self, path, frames):
        """As it was on the screen: panels, black where nothing differs, the box."""
        last = Picture(ffmpeg("-i", path, "-vf", f"select=eq(n\\,{frames - 1})", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt",
                              "rgb24", "-"))
        self.assertTrue(is_grey(last.at(*LEFT), 0) and is_grey(last.at(*RIGHT), 0))
        self.assertGreater(box_width(last), 20)
        self.assertGreater(last.contrast(940, 20, 1270, 640), 0.3, "the panels")

    def quits(self):
        self.desktop.key("ctrl+q")
        self.assertEqual(self.desktop.process.wait(60), 0, self.desktop.output())
        kept = os.path.join(self.desktop.folder.name, "convoscope")
        with open(os.path.join(kept, "settings.json")) as file:
            self.assertEqual(json.load(file)["recent"][0], self.clip)
        with open(os.path.join(kept, "session.json")) as file:
            settings = json.load(file)
        self.assertEqual([len(settings["panes"]), settings["view"]], [3, "difference"])
        for seen, expected in zip(settings["split"]["lines"], (DROPPED / 916, 2 / 3), strict=True):
            self.assertAlmostEqual(seen, expected, delta=0.02)

    def opens_what_was_shared(self):
        """As on another desk, where nothing is kept."""
        first, second, third = PANES
        with Desktop(PROGRAM, "--session", self.shared, "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu") as self.desktop:
            self.see_grey({first: SOURCE, second: SOURCE, third: SOURCE}, "three panes, as they were")
            self.see(lambda picture: max(picture.at(*BESIDE_THE_THIRD)) < 60, "a grid of three")
            self.assertIn("lesson.mp4", self.desktop.xdotool("getwindowname", self.desktop.window).stdout)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
