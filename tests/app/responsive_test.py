"""The window is never held up by what it shows, and rests when there is nothing to show."""
import os
import subprocess
import sys
import tempfile
import time
import unittest

from desktop import HEIGHT, WIDTH, Desktop, ffmpeg, without_display

PROGRAM = None
SLOW = ["pattern:zone-plate", "--size", "1280x720", "--backend", "cpu", "--strategy", "cpu-direct", "--filter", "disk:radius=63",
        "--window", f"{WIDTH}x{HEIGHT}"]


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Responsive(unittest.TestCase):
    def test_keys_are_heard_and_it_ends_while_a_slow_strategy_runs(self):
        with Desktop(PROGRAM, *SLOW) as desktop:
            desktop.wait_for(lambda: desktop.look().contrast(300, 200, 800, 500) > 1, "the source, until there is a picture")
            before = desktop.look()
            desktop.key("F1")
            desktop.wait_for(lambda: desktop.look().changed(before, 200, 100, 1000, 600) > 0.2, "the help", 5)
            desktop.key("F1")
            desktop.xdotool("key", "ctrl+q")
            self.assertEqual(desktop.process.wait(timeout=10), 0)  # a picture takes longer, more so on a busy machine

    def test_a_source_that_is_not_there_leaves_the_window(self):
        with Desktop(PROGRAM, "http://127.0.0.1:9/nobody-answers.mp4", "--backend", "cpu", "--window", f"{WIDTH}x{HEIGHT}") as desktop:
            before = desktop.look()
            desktop.key("F1")
            desktop.wait_for(lambda: desktop.look().changed(before, 200, 100, 1000, 600) > 0.2, "the help", 10)

    def idle_share(self, desktop):
        """Of a core, over some seconds, once it has come to rest."""
        shares = []

        def at_rest():
            began, spent = time.monotonic(), processor_seconds(desktop.process.pid)
            time.sleep(6)
            shares.append((processor_seconds(desktop.process.pid) - spent) / (time.monotonic() - began))
            return shares[-1] < 0.05
        desktop.wait_for(at_rest, "the program to rest", 60)
        print("idle shares of a core:", " ".join(f"{share:.3f}" for share in shares))

    def test_a_paused_picture_leaves_the_processor_alone(self):
        with Desktop(PROGRAM, "pattern:zone-plate", "--size", "1280x720", "--backend", "cpu", "--window", f"{WIDTH}x{HEIGHT}") as desktop:
            desktop.wait_for(lambda: desktop.look().contrast(300, 200, 800, 500) > 0.3, "a picture")
            desktop.key("space")
            self.idle_share(desktop)
            before = desktop.look()
            desktop.key("F1")
            desktop.wait_for(lambda: desktop.look().changed(before, 200, 100, 1000, 600) > 0.2, "the help", 5)

    def test_a_still_picture_too(self):
        with tempfile.TemporaryDirectory() as folder:
            ffmpeg("-f", "lavfi", "-i", "testsrc=size=1280x720", "-frames:v", "1", os.path.join(folder, "a.png"))
            with Desktop(PROGRAM, os.path.join(folder, "a.png"), "--backend", "cpu", "--window", f"{WIDTH}x{HEIGHT}") as desktop:
                desktop.wait_for(lambda: desktop.look().contrast(300, 200, 800, 500) > 0.3, "a picture")
                self.idle_share(desktop)

    def test_a_still_picture_offscreen_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48", "-frames:v", "1", "-pix_fmt", "pal8", os.path.join(folder, "pal8.png"))
            for pace in ([], ["--realtime"]):
                done = subprocess.run([PROGRAM, "pal8.png", "--offscreen", "--backend", "cpu", "--frames", "6", *pace], cwd=folder,
                                      env=without_display(folder), capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
