"""The rules of the house that a program can check: docs/house.md has them all.

    house_test.py [--mend]      with --mend, what clang-format can lay out is laid out
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FORMAT = "clang-format-14"  # one version: each lays out a little differently
CODE = (".cpp", ".h", ".cu", ".cuh")


def sources(*endings):
    """Every source file of the project: what git knows, or what is there where this is no clone."""
    known = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, text=True)
    if known.returncode == 0:
        names = [name for name in known.stdout.split("\0") if name]
    else:
        names = [os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, files in os.walk(ROOT) for name in files
                 if not os.path.relpath(folder, ROOT).startswith("build")]
    return sorted(name for name in names if name.endswith(endings) and os.path.exists(os.path.join(ROOT, name)))


def lines_of(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read().splitlines()


class House(unittest.TestCase):
    def test_no_line_is_longer_than_120_columns(self):
        long = [f"{name}:{number}: {len(line)} columns" for name in sources(*CODE, ".glsl", ".vert", ".frag") if "corpus" not in name
                for number, line in enumerate(lines_of(name), 1) if len(line) > 120]
        self.assertEqual(long, [])

    def test_no_file_is_longer_than_400_lines(self):
        long = [f"{name}: {len(lines_of(name))} lines" for name in sources(*CODE, ".py") if len(lines_of(name)) > 400]
        self.assertEqual(long, [])

    def test_no_thread_is_detached(self):
        self.assertEqual([name for name in sources(*CODE) if any(".detach()" in line for line in lines_of(name))], [])

    def test_no_include_goes_upwards(self):
        """kernels/ is below app/ and knows nothing of it; both know nothing of the tests."""
        wrong = []
        for name in sources(*CODE):
            room = name.split("/")[0]
            above = {"kernels": ("app", "tests", "bench"), "app": ("tests", "bench"), "bench": ("tests",)}.get(room, ())
            for line in lines_of(name):
                included = re.match(r'#include "(\w+)/', line)
                if included and included[1] in above:
                    wrong.append(f"{name} includes {line.split()[1]}")
        self.assertEqual(wrong, [])

    @unittest.skipUnless(shutil.which(FORMAT), FORMAT + " is not installed")
    def test_the_code_is_laid_out_by_clang_format(self):
        for_all = subprocess.run([FORMAT, "--dry-run", "-Werror", *sources(*CODE)], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(for_all.returncode, 0, "house_test.py --mend mends:\n" + for_all.stderr[:4000])


if __name__ == "__main__":
    if "--mend" in sys.argv:
        sys.exit(subprocess.run([FORMAT, "-i", *sources(*CODE)], cwd=ROOT).returncode)
    unittest.main()
