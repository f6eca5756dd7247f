"""What a system seldom does, put in front of it by preload/faults.cpp: each ends in a plain sentence and the right code."""
import os
import subprocess
import sys
import tempfile
import unittest

from desktop import ffmpeg, probe, without_display

PROGRAM = FAULTS = None
OFFSCREEN = ["--offscreen", "--backend", "cpu", "--window", "320x200"]


class Faults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=1", "-pix_fmt", "yuv420p", self.path("in.mp4"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, *arguments, **faults):
        environment = without_display(self.folder, LD_PRELOAD=FAULTS, **faults)
        environment["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0"
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)

    def test_a_file_that_takes_long_to_finish_is_told(self):
        for name, arguments in (("r.mkv", ["in.mp4", "--record", "r.mkv", *OFFSCREEN]),
                                ("out.mkv", ["filter", "in.mp4", "out.mkv", "--backend", "cpu"])):
            done = self.run_program(*arguments, SLOW_FINISH="2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count(f"{name}' is still being finished"), 1, done.stderr)
            self.assertEqual(probe(self.path(name))["streams"][0]["nb_read_frames"], "25")

    def test_too_few_threads_are_told(self):
        told = 0
        for most in range(12):
            done = self.run_program("filter", "in.mp4", "out.mkv", "--backend", "cpu", MOST_THREADS=str(most))
            with self.subTest(threads=most):
                self.assertIn(done.returncode, (0, 2), done.stderr)
                if done.returncode == 2:
                    self.assertIn("The system allows no more threads (ulimit -u)", done.stderr)
                    told += 1
        self.assertGreater(told, 1)


if __name__ == "__main__":
    FAULTS = os.path.abspath(sys.argv.pop())
    PROGRAM = os.path.abspath(sys.argv.pop())
    unittest.main(verbosity=2)
