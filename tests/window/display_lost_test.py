"""The X server or the window goes away while the program plays and records: what was made is kept, and it says so."""
import json
import os
import sys
import tempfile
import unittest

from desktop import Desktop, ffmpeg, part_of, probe

PROGRAM = None


class DisplayLost(unittest.TestCase):
    def test_finishes_the_recording_and_keeps_the_settings(self):
        said = self.lose(lambda desktop: desktop.server.kill(), "The display has gone away")
        self.assertIn("Every thread has ended", said)

    def test_a_window_that_another_program_destroys_ends_it_in_order(self):
        self.lose(lambda desktop: desktop.xdotool("windowclose", desktop.window), "The window was destroyed by another program")

    def test_so_does_one_that_is_drawn_at_full_rate(self):
        for _ in range(2):
            self.lose(lambda desktop: desktop.xdotool("windowclose", desktop.window),
                      "The window was destroyed by another program", ())

    def test_one_that_is_destroyed_before_its_first_frame_too(self):
        for _ in range(2):
            with Desktop(PROGRAM, "pattern", "--size", "160x120", "--backend", "cpu") as desktop:
                desktop.xdotool("windowclose", desktop.window)
                self.assertEqual(desktop.process.wait(60), 2, desktop.output())
                self.assertIn("The window was destroyed by another program", desktop.output())

    def test_a_recording_that_has_not_begun_is_told(self):
        """Its first picture would take minutes."""
        for how, code in (lambda desktop: desktop.server.kill(), 2), (lambda desktop: desktop.key("ctrl+q"), 0):
            with Desktop(PROGRAM, "pattern:zone-plate", "--size", "3840x2160", "--backend", "cpu", "--strategy", "cpu-direct", "--filter",
                         "disk:radius=63", "--record", "recording.mkv") as desktop:
                desktop.wait_for(lambda: desktop.drawn("filtering/1"), "a picture to take its time")
                how(desktop)
                self.assertEqual(desktop.process.wait(60), code, desktop.output())
                self.assertIn("Nothing was recorded, so there is no file", desktop.output())
                self.assertFalse(os.path.exists(os.path.join(desktop.folder.name, "recording.mkv")))

    def lose(self, how, sentence, keys=("period",)):  # that: a change that only the settings hold: one frame on, and paused
        with tempfile.TemporaryDirectory() as folder:
            clip, recording, stats = (os.path.join(folder, name) for name in ("clip.mp4", "recording.mkv", "stats.json"))
            ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=20", "-pix_fmt", "yuv420p", clip)
            with Desktop(PROGRAM, clip, "--backend", "cpu", "--record", recording, "--stats", stats, "--verbose") as desktop:
                desktop.wait_for(lambda: os.path.exists(part_of(recording)) and os.path.getsize(part_of(recording)) > 4000, "a recording")
                desktop.key(*keys)
                how(desktop)
                self.assertEqual(desktop.process.wait(60), 2, desktop.output())
                said = desktop.output()
                self.assertIn(sentence, said)
                self.assertIn("Recorded ", said)
                self.assertNotIn("terminate called", said)
                frames = int(probe(recording)["streams"][0]["nb_read_frames"])
                self.assertGreater(frames, 0)
                self.assertIn(f"Recorded {frames:,} frames", said, "the file is whole")
                with open(stats) as written:
                    self.assertEqual(json.load(written)["frames_recorded"], frames)
                with open(os.path.join(desktop.folder.name, "convoscope", "settings.json")) as kept:
                    self.assertIn(clip, json.dumps(json.load(kept)))
                return said


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
