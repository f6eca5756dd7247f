"""Drives the window with keys and mouse on a virtual screen and looks at its pixels."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

from desktop import HEIGHT, WIDTH, Desktop, ffmpeg

PROGRAM = None
# Where the picture lies while the panels are shown, well inside of it.
PICTURE = (330, 120, 880, 560)


class Window(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.clip = os.path.join(cls.folder.name, "clip.mp4")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=640x360:rate=10:duration=20", "-pix_fmt", "yuv420p", cls.clip)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def desktop(self, *arguments):
        return Desktop(PROGRAM, *arguments, "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu")

    def steady(self, desktop):
        return desktop.steady(PICTURE)

    def test_plays_filters_and_obeys_keys(self):
        with self.desktop(self.clip, "--filter", "gaussian:radius=8") as desktop:
            first = desktop.wait_for(lambda: self.shown(desktop), "a picture")
            desktop.wait_for(lambda: desktop.look().changed(first, *PICTURE) > 0.001, "the next frames")

            desktop.key("space", "o")  # pause; the card over the picture away
            blurred = self.steady(desktop)
            desktop.key("u")
            sharp = self.steady(desktop)
            self.assertGreater(sharp.contrast(*PICTURE), 1.15 * blurred.contrast(*PICTURE))
            desktop.key("u")
            self.assertLess(self.steady(desktop).changed(blurred, *PICTURE), 0.002, "the same filter gives the same picture")

            desktop.key("F1")
            desktop.wait_for(lambda: desktop.look().changed(blurred) > 0.3, "the cheat sheet to cover the window")
            desktop.key("Escape")
            self.assertLess(self.steady(desktop).changed(blurred, *PICTURE), 0.002)

            desktop.key("Tab")
            desktop.wait_for(lambda: desktop.look().changed(blurred, WIDTH - 300, 100, WIDTH, 500) > 0.5, "the panels to go")
            desktop.key("Tab")
            self.steady(desktop)

            desktop.key("Right")
            stepped = self.steady(desktop)
            self.assertGreater(stepped.changed(blurred, *PICTURE), 0.001, "one frame on")
            desktop.key("Left")
            self.assertLess(self.steady(desktop).changed(blurred, *PICTURE), 0.002, "and back")

            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())
            with open(os.path.join(desktop.folder.name, "convoscope", "settings.json")) as kept:
                self.assertIn(self.clip, json.dumps(json.load(kept)))

    def test_edits_a_weight_while_it_plays(self):
        with self.desktop(self.clip, "--filter", "0 0 0; 0 1 0; 0 0 0") as desktop:
            desktop.wait_for(lambda: self.shown(desktop), "a picture")
            desktop.key("space", "o")
            before = self.steady(desktop)
            desktop.key("w", "Return")
            desktop.enter("0.25", "the weight")
            after = self.steady(desktop)
            darker = self.mean(after) / self.mean(before)
            self.assertTrue(0.15 < darker < 0.35, f"a centre weight of 0.25 quarters the picture, not ×{darker:.2f}")
            desktop.key("Escape", "ctrl+z")
            self.assertLess(self.steady(desktop).changed(before, *PICTURE), 0.002, "undone")

    def test_a_broken_file_is_explained_and_the_next_one_plays(self):
        broken = os.path.join(self.folder.name, "broken.mp4")
        with open(broken, "wb") as file:
            file.write(b"not a video" * 100)
        with self.desktop("pattern") as desktop:
            desktop.wait_for(lambda: self.shown(desktop), "a picture")
            title = lambda: desktop.xdotool("getwindowname", desktop.window).stdout
            for name in (broken, self.clip):
                desktop.key("ctrl+o")
                desktop.enter(name, "the browser's field")
                if name == broken:
                    desktop.wait_for(lambda: "broken.mp4" in desktop.output(), "the message")
                    self.assertIn("pattern –", title(), "what plays goes on")
            desktop.wait_for(lambda: os.path.basename(self.clip) + " –" in title(), "the clip")
            self.assertIsNone(desktop.process.poll())

    def test_the_magnifier_shows_the_pixels_under_the_cursor(self):
        halves = os.path.join(self.folder.name, "halves.mkv")
        subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "color=0xff0000:size=320x360:rate=10:duration=1", "-f",
                        "lavfi", "-i", "color=0x00ff00:size=320x360:rate=10:duration=1", "-filter_complex",
                        "[0]format=gbrp[a];[1]format=gbrp[b];[a][b]hstack", "-c:v", "ffv1", halves], check=True)
        with self.desktop(halves, "--filter", "identity") as desktop:
            left, right = (150, 330), (750, 330)
            desktop.wait_for(lambda: self.is_colour(desktop.look().at(*left), (255, 0, 0)), "the picture")
            desktop.key("o", "q")
            desktop.xdotool("mousemove", 459, 330)  # the first green column is under the cursor
            in_card = [(492 + 40, 386 + 60), (492 + 160, 386 + 60)]
            desktop.wait_for(lambda: self.is_colour(desktop.look().at(*in_card[0]), (255, 0, 0)), "red left of the middle")
            self.assertTrue(self.is_colour(desktop.look().at(*in_card[1]), (0, 255, 0)), "green right of the middle")
            desktop.xdotool("mousemove", 300, 330)  # all red; the card goes with the cursor
            desktop.wait_for(lambda: self.is_colour(desktop.look().at(*in_card[1]), (0, 255, 0)), "the picture again")

            desktop.key("q", "e")
            desktop.wait_for(lambda: desktop.drawn("story-channel/red"), "the explanation of the pixel under the mouse")
            self.assertIsNone(desktop.process.poll())

    @staticmethod
    def is_colour(seen, wanted):
        return max(abs(a - b) for a, b in zip(seen, wanted)) < 24

    def test_keys_that_come_faster_than_frames_are_not_lost(self):
        with self.desktop("pattern") as desktop:
            desktop.wait_for(lambda: self.shown(desktop), "a picture")
            # All within a frame or two of a software renderer; a key too many, taken back, at the end.
            desktop.key("ctrl+o")
            desktop.wait_for(lambda: desktop.marks()["wants_text"], "the browser's field")
            desktop.xdotool("key", "--delay", "0", "ctrl+a", "type", "--delay", "0", "--args", "1", self.clip + "x", "key", "--delay",
                            "0", "BackSpace", "Return")
            desktop.wait_for(lambda: os.path.basename(self.clip) + " –" in desktop.xdotool("getwindowname", desktop.window).stdout, "the clip")
            self.assertEqual(desktop.output(), "", "no letter of the name did anything else")

    def test_records_and_takes_a_screenshot(self):
        with self.desktop(self.clip, "--filter", "sobel-magnitude") as desktop:
            desktop.wait_for(lambda: self.shown(desktop), "a picture")
            desktop.key("s", "r")
            desktop.wait_for(lambda: glob.glob(os.path.join(desktop.folder.name, "*.mkv")), "the recording to begin")
            desktop.frames(20)
            desktop.key("r")
            desktop.wait_for(lambda: "Recorded" in desktop.output(), "the recording to end")
            video = glob.glob(os.path.join(desktop.folder.name, "*.mkv"))[0]
            probe = json.loads(subprocess.run(
                ["ffprobe", "-loglevel", "error", "-count_frames", "-of", "json", "-show_streams", "-show_format", video],
                capture_output=True, check=True).stdout)
            stream = probe["streams"][0]
            self.assertEqual((stream["width"], stream["height"]), (WIDTH, HEIGHT))
            self.assertGreater(int(stream["nb_read_frames"]), 3)
            self.assertIn("sobel", json.dumps(probe["format"]["tags"]))
            self.assertTrue(glob.glob(os.path.join(desktop.folder.name, "*.png")))

    def shown(self, desktop):
        picture = desktop.look()
        return picture if picture.contrast(*PICTURE) > 0.3 else None

    def mean(self, picture):
        data = picture.region(*PICTURE)
        return sum(data) / len(data)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
