"""Cameras: the program with a driver in front of it that plays a camera (preload/fake_camera.cpp), for machines without one."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

from desktop import HEIGHT, WIDTH, Desktop, picture_of

PROGRAM = FAKE_CAMERA = None
SIZE = ["--window", "960x540", "--no-panels"]
RED, BLUE, WHITE, LIME, YELLOW = (255, 0, 0), (0, 0, 255), (255, 255, 255), (0, 255, 0), (255, 255, 0)


class Camera(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.plug_in("video0")
        self.plug_in("video1", "metadata")  # the same camera's second device file, as most have
        for colour, size in (("lime", "640x480"), ("yellow", "1280x720")):
            subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", f"color={colour}:size={size}", "-frames:v", "1",
                            "-pix_fmt", "yuvj444p", os.path.join(self.folder, size + ".jpg")], check=True)
        self.extra = dict(FAKE_CAMERA=self.folder, LD_PRELOAD=FAKE_CAMERA, XDG_CONFIG_HOME=self.folder, XDG_STATE_HOME=self.folder,
                          ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0")

    def plug_in(self, name, state=""):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(state)

    def unplug(self, name):
        os.remove(os.path.join(self.folder, name))

    def run_program(self, *arguments, expect=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env=dict(os.environ, **self.extra),
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def show(self, *arguments, frames=5, expect=0):
        return self.run_program(*arguments, "--offscreen", "--frames", frames, "--filter", "identity", "--backend", "cpu",
                                "--screenshot", "a.png", "--stats", "a.json", *SIZE, expect=expect)

    def picture(self):
        return picture_of(os.path.join(self.folder, "a.png"), 960, 540)

    def description(self):
        with open(os.path.join(self.folder, "a.json")) as file:
            return json.load(file)["source_details"]["description"]

    def assert_colour(self, picture, x, y, colour):
        seen = picture.at(x, y)
        self.assertTrue(all(abs(a - b) <= 3 for a, b in zip(seen, colour)), f"{seen} at {x}, {y} instead of {colour}")

    def test_lists_cameras_and_their_modes(self):
        self.plug_in("video4")
        rows = json.loads(self.run_program("list", "cameras", "--json").stdout)
        self.assertEqual([(row["id"], row["path"]) for row in rows], [("camera:0", "/dev/video0"), ("camera:1", "/dev/video4")])
        modes = [(m["format"], m["width"], m["height"], m["rate"]) for m in rows[0]["modes"]]
        self.assertEqual(modes, [("yuyv422", 640, 480, 30), ("yuyv422", 640, 480, 15), ("yuyv422", 320, 240, 30),
                                 ("mjpeg", 640, 480, 30), ("mjpeg", 1280, 720, 30), ("mjpeg", 1280, 720, 60)])
        self.assertIn("1280x720", self.run_program("list", "cameras").stdout)

    def test_one_that_may_not_be_opened_is_listed_with_the_reason_and_keeps_its_number(self):
        self.plug_in("video0", "denied")
        self.plug_in("video4")
        rows = json.loads(self.run_program("list", "cameras", "--json").stdout)
        self.assertEqual([row["available"] for row in rows if row["path"] != "/dev/video1"], [False, True])
        self.assertIn("group 'video'", rows[0]["reason"])
        self.assertIn("group 'video'", " ".join(self.run_program("list", "cameras").stdout.split()))  # it may go on in the next line

    def test_its_picture_is_shown_and_moves(self):
        seconds = time.monotonic()
        self.show("camera:0", frames=60)
        self.assertGreater(time.monotonic() - seconds, 59 / 30 - 0.1, "30 frames a second, not as fast as they can be read")
        picture = self.picture()
        self.assert_colour(picture, 300, 200, RED)
        self.assert_colour(picture, 650, 200, BLUE)
        row = picture.region(120, 500, 840, 501)
        self.assertTrue(any(row[i:i + 3] == bytes(WHITE) for i in range(0, len(row), 3)), "the bar")
        self.show("camera", frames=3)
        self.assertGreater(self.picture().changed(picture, 120, 480, 840, 520), 0.05, "the bar is elsewhere")
        self.show("/dev/video0", frames=1)
        self.assert_colour(self.picture(), 300, 200, RED)

    def test_size_rate_and_format_choose_a_mode(self):
        for arguments, description, colour in (
                (["--size", "320x240"], "rawvideo, 320 × 240, yuyv422, 30 fps", RED),
                (["--size", "1280x720"], "MJPEG, 1280 × 720", YELLOW),
                (["--camera-format", "mjpeg"], "MJPEG, 640 × 480", LIME),
                (["--rate", "15"], "rawvideo, 640 × 480, yuyv422, 15 fps", RED)):
            done = self.show("camera:0", *arguments)
            self.assertTrue(self.description().startswith(description.split(",")[0]), self.description())
            self.assertIn(description.split(",")[1], self.description())
            self.assertNotIn("cannot give", done.stderr)
            self.assert_colour(self.picture(), 300, 200, colour)

    def test_a_mode_it_does_not_have_becomes_the_nearest_and_it_says_so(self):
        done = self.show("camera:0", "--size", "5000x4000", "--rate", "240")
        self.assertIn("'camera:0' cannot give 5000 × 4000 at 240 frames a second; it gives 1280 × 720 at 60", done.stderr)
        self.assert_colour(self.picture(), 300, 200, YELLOW)
        self.plug_in("video0", "raw")
        self.show("camera:0", "--camera-format", "mjpeg")
        self.assert_colour(self.picture(), 300, 200, RED)

    def test_one_that_cannot_be_used_ends_with_a_sentence(self):
        for state, sentence in (("busy", "is used by another program"), ("denied", "permission denied"),
                                ("stalled", "sends no picture")):
            self.plug_in("video0", state)
            done = self.show("camera:0", expect=2)
            self.assertIn(sentence, done.stderr)
            self.assertNotIn("Trying again", done.stderr)
        self.assertIn("There is no camera 7; there is 1, camera 0.", self.show("camera:7", expect=2).stderr)
        self.assertIn("'/dev/video8' is not there", self.show("/dev/video8", expect=2).stderr)
        self.unplug("video0")
        self.unplug("video1")
        self.assertIn("No camera is found", self.show("camera", expect=2).stderr)

    def test_unplugged_and_plugged_in_again_while_it_plays(self):
        with Desktop(PROGRAM, "camera", "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu", "--filter", "identity",
                     environment=self.extra) as desktop:
            def shows(colour, x=380, y=200):
                return lambda: all(abs(a - b) <= 3 for a, b in zip(desktop.look().at(x, y), colour))
            desktop.wait_for(shows(RED), "the picture")
            self.unplug("video0")
            desktop.wait_for(lambda: "unplugged" in desktop.output(), "the message")
            self.assertIn("Trying again every 2 seconds", desktop.output())
            before = desktop.look()
            desktop.key("t")
            desktop.wait_for(lambda: desktop.look().changed(before, WIDTH - 300, 100, WIDTH, 500) > 0.5, "the light theme")
            self.plug_in("video0")
            bar = (0, 470, 900, 500)
            looks = [desktop.look()]

            def moved():
                looks.append(desktop.look())
                return looks[-1].changed(looks[-2], *bar) > 0.01
            desktop.wait_for(moved, "the next picture")
            desktop.wait_for(moved, "the picture to move again")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())


if __name__ == "__main__":
    FAKE_CAMERA = sys.argv.pop(2)
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
