"""Every lesson of the program as a page: all its numbers are worked out, it is one file, and a real browser shows it without
asking for anything. Without Chromium that last part is skipped."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def run(*arguments, **more):
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", XDG_STATE_HOME=more.pop("state", "/nonexistent"))
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=300, **more)


class LessonPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.pages, cls.problems = {}, {}
        for lesson in json.loads(run("lesson", "list", "--json").stdout):
            page = os.path.join(cls.folder.name, lesson["id"] + ".html")
            result = run("lesson", "export", lesson["id"], "--html", page, "--answers")
            if result.returncode != 0:
                cls.problems[lesson["id"]] = result.stderr
                continue
            with open(page, encoding="utf-8") as file:
                cls.pages[lesson["id"]] = (page, file.read())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_number_of_every_lesson_is_worked_out(self):
        self.assertEqual(self.problems, {})
        self.assertEqual(len(self.pages), 18)

    def test_is_one_file_that_names_nothing_outside(self):
        for lesson, (_, text) in self.pages.items():
            with self.subTest(lesson):
                self.assertEqual(re.findall(r'(?:src|href)="(?!data:)[^"]*"|url\(|@import|<script', text), [])
                self.assertNotIn("{compute", text)
                self.assertNotIn("{list", text)
                self.assertNotIn("{bench", text)

    @unittest.skipUnless(BROWSER, "There is no Chromium here to open the pages in.")
    def test_a_browser_shows_it_at_both_widths_and_has_nothing_to_complain_of(self):
        for lesson, (page, text) in list(self.pages.items())[:3]:
            for width in (390, 1280):
                with self.subTest(lesson, width=width):
                    picture = os.path.join(self.folder.name, f"{lesson}-{width}.png")
                    shown = subprocess.run(
                        [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                         "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.folder.name}/profile",
                         f"--window-size={width},2000", f"--screenshot={picture}", "file://" + page],
                        capture_output=True, text=True, timeout=120)
                    self.assertTrue(os.path.getsize(picture) > 10_000, shown.stderr)
                    self.assertEqual(re.findall(r".*CONSOLE.*|.*Refused to.*", shown.stderr), [])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
