"""The screen as a source: a virtual screen with this program on it, recorded by this program."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from desktop import HEIGHT, WIDTH, Desktop, picture_of, without_display

PROGRAM = None
LOOK = ["--offscreen", "--frames", "2", "--backend", "cpu", "--filter", "identity", "--no-panels", "--window", f"{WIDTH}x{HEIGHT}"]


class Screen(unittest.TestCase):
    def record(self, folder, *arguments, expect=0, **variables):
        environment = without_display(folder, **variables)
        done = subprocess.run([PROGRAM, "screen", *arguments, *LOOK], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stderr

    def size(self, folder):
        with open(os.path.join(folder, "a.json")) as file:
            details = json.load(file)["source_details"]
        return details["width"], details["height"], details["rate"]

    def test_its_pixels_and_the_sizes_it_does_not_have(self):
        with Desktop(PROGRAM, "pattern:siemens-star", "--no-panels", "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu") as desktop:
            desktop.wait_for(lambda: desktop.look().contrast(500, 200, 1000, 500) > 1, "a picture")
            desktop.key("space")
            seen = desktop.steady((500, 200, 1000, 500))
            folder = desktop.folder.name
            self.record(folder, "--screenshot", "a.png", "--stats", "a.json", DISPLAY=desktop.display)
            self.assertEqual(self.size(folder)[:2], (WIDTH, HEIGHT))
            # Where neither program lays a card or a bar over the picture.
            self.assertLess(picture_of(os.path.join(folder, "a.png")).changed(seen, 500, 200, 1000, 500), 0.01)

            said = self.record(folder, "--size", "5000x4000", "--stats", "a.json", DISPLAY=desktop.display)
            self.assertIn(f"'screen' cannot give 5000 × 4000; it gives {WIDTH} × {HEIGHT}.", said)
            self.record(folder, "--size", "320x200", "--rate", "10", "--stats", "a.json", DISPLAY=desktop.display)
            self.assertEqual(self.size(folder), (320, 200, 10))

    def test_no_screen_is_explained(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("DISPLAY is not set", self.record(folder, expect=2))
            self.assertIn("only X11 screens can", self.record(folder, expect=2, WAYLAND_DISPLAY="wayland-0"))
            self.assertIn("The X11 screen ':4242' cannot be read", self.record(folder, expect=2, DISPLAY=":4242"))
            self.assertNotIn("Trying again", self.record(folder, expect=2, DISPLAY="nonsense"))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
