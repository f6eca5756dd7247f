"""Sessions as a user meets them: kept through a kill, opened from a screenshot, saved, put back to the defaults."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from desktop import HEIGHT, WIDTH, Desktop, ffmpeg, without_display
from drop import drop

PROGRAM = None
BACKEND = ("--backend", "cpu")
WINDOW = ("--window", f"{WIDTH}x{HEIGHT}")


class Session(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.addCleanup(self.kept.cleanup)

    def desktop(self, *arguments):
        kept = self.kept.name
        return Desktop(PROGRAM, *arguments, *BACKEND, *WINDOW,
                       environment={"XDG_CONFIG_HOME": kept, "XDG_STATE_HOME": kept, "XDG_CACHE_HOME": kept})

    def path(self, name):
        return os.path.join(self.kept.name, "convoscope", name)

    def session(self, name="session.json"):
        try:
            with open(self.path(name)) as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def border(self):
        return self.session()["panes"][-1]["border"]

    def test_what_was_set_survives_a_kill(self):
        with self.desktop() as desktop:
            desktop.wait_for(lambda: self.session().get("panes"), "the first session")
            seen = [self.border()]
            desktop.key("b")
            desktop.wait_for(lambda: self.border() != seen[-1], "the change on the disk")
            seen.append(self.border())
            desktop.process.send_signal(signal.SIGKILL)
            desktop.process.wait(20)
        with self.desktop() as desktop:
            desktop.key("b")
            desktop.wait_for(lambda: self.border() != seen[-1], "the next change")
            self.assertNotIn(self.border(), seen, "it went on from the border before the kill")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())

    def test_a_clip_goes_on_where_it_was_and_options_are_not_kept(self):
        clip = os.path.join(self.kept.name, "clip.mp4")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10:duration=20", "-pix_fmt", "yuv420p", clip)
        self.keep_session(source=clip, position=12, paused=True)
        with self.desktop() as desktop:
            desktop.wait_for(lambda: "clip.mp4" in desktop.xdotool("getwindowname", desktop.window).stdout, "the clip")
            desktop.key("Right")
            desktop.wait_for(lambda: 12.05 < self.session()["position"] < 12.5, "the frame after it")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())
        with self.desktop("pattern", "--view", "grid") as desktop:
            desktop.wait_for(lambda: "pattern" in desktop.xdotool("getwindowname", desktop.window).stdout, "the pattern")
            desktop.key("o")
            desktop.wait_for(lambda: self.session()["show_overlay"] is False, "the change")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())
        kept = self.session()
        self.assertEqual((kept["source"], kept["view"]), (clip, "single"))
        self.assertAlmostEqual(kept["position"], 12, delta=0.5)

    def test_another_backend_goes_on_at_the_same_frame(self):
        clip = os.path.join(self.kept.name, "clip.mp4")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x90:rate=10:duration=20", "-pix_fmt", "yuv420p", clip)
        self.keep_session(source=clip, position=12, paused=True)
        with self.desktop() as desktop:
            desktop.wait_for(lambda: "clip.mp4" in desktop.xdotool("getwindowname", desktop.window).stdout, "the clip")
            desktop.key("k")
            desktop.wait_for(lambda: self.session("settings.json").get("backend") == "emulated", "the other backend")
            desktop.key("Right")  # a source that had begun anew would be at its second frame
            desktop.wait_for(lambda: 12.05 < self.session().get("position", 0) < 14, "the frame after it")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())

    def write_session(self, name="given.json", **values):
        path = os.path.join(self.kept.name, name)
        with open(path, "w") as file:
            json.dump({"panes": [{"strategy": "cpu-parallel", "filter": "sobel-x"}], **values}, file)
        return path

    def keep_session(self, **values):
        """As the user's own, which --session FILE leaves alone until something is changed."""
        os.makedirs(os.path.dirname(self.path("x")), exist_ok=True)
        return self.write_session(self.path("session.json"), **values)

    def test_a_screenshot_opens_again(self):
        shot = os.path.join(self.kept.name, "shot.png")
        subprocess.run([PROGRAM, "--session", self.write_session(view="blink"), "--offscreen", "--frames", "3", "--screenshot", shot,
                        "--window", "640x400", *BACKEND], env=without_display(self.kept.name), check=True, capture_output=True)
        self.assertFalse(os.path.exists(self.path("session.json")), "nothing is kept offscreen")
        with self.desktop() as desktop:
            desktop.wait_for(lambda: self.session().get("panes"), "the first session")
            # Opened, it is a picture like any other, of which is said that there is more in it.
            desktop.key("ctrl+o")
            desktop.enter(shot, "the browser's field")
            desktop.wait_for(lambda: self.session().get("source") == shot, "the picture")
            desktop.wait_for(lambda: f"{shot} was made by Convoscope" in desktop.output(), "the message")
            self.assertNotEqual(self.session()["view"], "blink")
            self.assertTrue(drop(desktop.display, desktop.window, [shot], 300, 300))
            opened = desktop.wait_for(lambda: self.session().get("view") == "blink" and self.session(), "the session")
            self.assertEqual(opened["panes"][0]["filter"], "sobel-x")
            self.assertEqual(opened["source"], "pattern")
            before = self.path("session-before.json")
            desktop.wait_for(lambda: before in desktop.output() and os.path.exists(before), "the way back")
            desktop.click_mark("message/session/Go back")
            desktop.wait_for(lambda: self.session().get("source") == shot and self.session()["view"] != "blink", "the session before it")

    def test_a_recording_opens_again(self):
        for name, edges in ("recording.mkv", "sobel-x"), ("recording.mp4", "sobel-y"):
            recording = os.path.join(self.kept.name, name)
            given = self.write_session(view="blink", panes=[{"strategy": "cpu-parallel", "filter": edges}])
            subprocess.run([PROGRAM, "--session", given, "--offscreen", "--frames", "10", "--record", recording, "--window", "640x400",
                            *BACKEND], env=without_display(self.kept.name), check=True, capture_output=True)
        with self.desktop() as desktop:
            desktop.wait_for(lambda: self.session().get("panes"), "the first session")
            for name, edges in ("recording.mkv", "sobel-x"), ("recording.mp4", "sobel-y"):
                recording = os.path.join(self.kept.name, name)
                self.assertTrue(drop(desktop.display, desktop.window, [recording], 300, 300))
                opened = desktop.wait_for(lambda: self.session()["panes"][0]["filter"] == edges and self.session(),
                                          "the session of " + name)
                self.assertEqual((opened["view"], opened["source"]), ("blink", "pattern"))
                self.assertEqual(opened["panes"][0]["strategy"], "cpu-parallel")

    def test_a_mistake_in_the_settings_loses_nothing(self):
        os.makedirs(os.path.dirname(self.path("x")))
        with open(self.path("settings.json"), "w") as file:
            file.write('{"light_theme": true,\n "vsync": fals}')
        with self.desktop() as desktop:
            desktop.wait_for(lambda: os.path.exists(self.path("settings.json")) and
                             os.path.exists(self.path("settings.json.broken")), "both files")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())
            self.assertIn("line 2", desktop.output())
        self.assertTrue(self.session("settings.json")["light_theme"])

    def test_a_fifo_and_depth_do_not_hold_the_start_up(self):
        os.makedirs(os.path.dirname(self.path("x")))
        os.mkfifo(self.path("settings.json"))
        with open(self.path("session.json"), "w") as file:
            file.write('{"panes":' + "[" * 100_000)
        with self.desktop() as desktop:
            desktop.wait_for(lambda: self.session().get("panes"), "a session")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())
        self.assertTrue(os.path.exists(self.path("session.json.broken")))

    def test_reset_by_the_palette_keeps_a_backup(self):
        self.keep_session(view="blink")
        with self.desktop() as desktop:
            desktop.key("ctrl+p")
            desktop.enter("reset everything", "the palette")
            # the page asks
            desktop.click_mark("settings/reset-now")
            desktop.wait_for(lambda: all(p["filter"] != "sobel-x" for p in self.session().get("panes", [{"filter": "sobel-x"}])),
                             "the defaults")
            self.assertEqual(self.session("session.json.before-reset")["view"], "blink")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
