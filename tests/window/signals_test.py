"""A window that is told to go by the system leaves what it was making, and the settings, and says so by its exit code."""
import json
import os
import signal
import sys
import time
import unittest

from desktop import Desktop, probe

PROGRAM = None


class Signals(unittest.TestCase):
    def test_a_window_ends_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name), Desktop(
                    PROGRAM, "pattern", "--size", "320x240", "--backend", "cpu", "--record", "r.mkv", "--stats",
                    "s.json") as desktop:
                recording = os.path.join(desktop.folder.name, "r.mkv")
                desktop.wait_for(lambda: os.path.exists(recording) and os.path.getsize(recording) > 1000, "a recording")
                desktop.process.send_signal(number)
                self.assertEqual(desktop.process.wait(60), 128 + number, desktop.output())
                self.assertGreater(int(probe(recording)["streams"][0]["nb_read_frames"]), 0)
                with open(os.path.join(desktop.folder.name, "s.json")) as stats:
                    self.assertGreater(json.load(stats)["frames_recorded"], 0)
                self.assertTrue(os.path.exists(os.path.join(desktop.folder.name, "convoscope", "settings.json")))

    def test_a_display_that_does_not_answer_holds_nothing_up(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name), Desktop(
                    PROGRAM, "pattern", "--size", "320x240", "--backend", "cpu", "--record", "r.mkv", "--stats",
                    "s.json") as desktop:
                recording = os.path.join(desktop.folder.name, "r.mkv")
                desktop.wait_for(lambda: os.path.exists(recording) and os.path.getsize(recording) > 100_000, "a recording")
                desktop.server.send_signal(signal.SIGSTOP)
                try:
                    time.sleep(1)  # the program waits for an answer by now
                    desktop.process.send_signal(number)
                    self.assertEqual(desktop.process.wait(30), 128 + number, desktop.output())
                finally:
                    desktop.server.send_signal(signal.SIGCONT)
                self.assertGreater(int(probe(recording)["streams"][0]["nb_read_frames"]), 0)
                with open(os.path.join(desktop.folder.name, "s.json")) as stats:
                    self.assertGreater(json.load(stats)["frames_recorded"], 0)
                for kept in "settings.json", "session.json":
                    self.assertTrue(os.path.exists(os.path.join(desktop.folder.name, "convoscope", kept)), kept)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
