"""A window that is told to go by the system leaves what it was making, and the settings, and says so by its exit code."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from desktop import Desktop, part_of, probe, without_display

PROGRAM = None


@contextlib.contextmanager
def slow(server):
    """It gets to run for a moment now and then."""
    over = threading.Event()

    def hold_up():
        while not over.is_set():
            server.send_signal(signal.SIGSTOP)
            over.wait(1.5)
            server.send_signal(signal.SIGCONT)
            over.wait(0.02)
    thread = threading.Thread(target=hold_up)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class Signals(unittest.TestCase):
    def test_a_window_ends_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name), Desktop(
                    PROGRAM, "pattern", "--size", "320x240", "--backend", "cpu", "--record", "r.mkv", "--stats",
                    "s.json") as desktop:
                recording = os.path.join(desktop.folder.name, "r.mkv")
                desktop.wait_for(lambda: os.path.exists(part_of(recording)) and os.path.getsize(part_of(recording)) > 1000, "a recording")
                desktop.process.send_signal(number)
                self.assertEqual(desktop.process.wait(60), 128 + number, desktop.output())
                self.assertGreater(int(probe(recording)["streams"][0]["nb_read_frames"]), 0)
                with open(os.path.join(desktop.folder.name, "s.json")) as stats:
                    self.assertGreater(json.load(stats)["frames_recorded"], 0)
                self.assertTrue(os.path.exists(os.path.join(desktop.folder.name, "convoscope", "settings.json")))

    def test_a_display_that_does_not_answer_holds_nothing_up(self):
        for number in (signal.SIGINT, signal.SIGTERM):  # and where nobody reads what it says SIGHUP, below
            with self.subTest(signal=number.name), Desktop(
                    PROGRAM, "pattern", "--size", "320x240", "--backend", "cpu", "--record", "r.mkv", "--stats",
                    "s.json") as desktop:
                recording = os.path.join(desktop.folder.name, "r.mkv")
                desktop.wait_for(lambda: os.path.exists(part_of(recording)) and os.path.getsize(part_of(recording)) > 40_000, "a recording")
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

    def test_a_slow_display_is_waited_for(self):
        with Desktop(PROGRAM, "pattern", "--size", "320x240", "--backend", "cpu", "--record", "r.mkv") as desktop:
            recording = os.path.join(desktop.folder.name, "r.mkv")
            desktop.wait_for(lambda: os.path.exists(part_of(recording)) and os.path.getsize(part_of(recording)) > 40_000, "a recording")
            with slow(desktop.server):
                time.sleep(1)
                desktop.process.send_signal(signal.SIGTERM)
                self.assertEqual(desktop.process.wait(60), 128 + signal.SIGTERM, desktop.output())
            self.assertNotIn("does not answer", desktop.output())
            self.assertGreater(int(probe(recording)["streams"][0]["nb_read_frames"]), 0)
            self.assertTrue(os.path.exists(os.path.join(desktop.folder.name, "convoscope", "session.json")))

    def test_a_display_that_never_answers_holds_no_start_up(self):
        desktop = Desktop(PROGRAM)
        desktop.start_server()
        desktop.server.send_signal(signal.SIGSTOP)
        try:
            with tempfile.TemporaryDirectory() as folder:
                environment = without_display(folder, DISPLAY=desktop.display)
                process = subprocess.Popen([PROGRAM, "pattern"], env=environment)
                try:
                    time.sleep(1)
                    process.send_signal(signal.SIGTERM)
                    self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
                finally:
                    process.kill()
                    process.wait()
        finally:
            desktop.server.kill()
            desktop.server.wait()

    def test_a_terminal_that_is_gone_takes_no_recording_with_it(self):
        """Nobody reads what it says, which it does before the file is finished."""
        read, write = os.pipe()
        os.close(read)
        with Desktop(PROGRAM, "pattern", "--size", "320x240", "--backend", "cpu", "--record", "r.mkv", said_to=write) as desktop:
            os.close(write)
            recording = os.path.join(desktop.folder.name, "r.mkv")
            desktop.wait_for(lambda: os.path.exists(part_of(recording)) and os.path.getsize(part_of(recording)) > 40_000, "a recording")
            desktop.server.send_signal(signal.SIGSTOP)
            try:
                time.sleep(1)
                desktop.process.send_signal(signal.SIGHUP)
                self.assertEqual(desktop.process.wait(60), 128 + signal.SIGHUP)
            finally:
                desktop.server.send_signal(signal.SIGCONT)
            self.assertGreater(int(probe(recording)["streams"][0]["nb_read_frames"]), 0)
            self.assertTrue(os.path.exists(os.path.join(desktop.folder.name, "convoscope", "session.json")))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
