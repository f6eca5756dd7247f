"""The rules of the house that a program can check. The order of rooms is read from docs/house.md.

    house_test.py [--mend]      with --mend, what clang-format can lay out is laid out
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

from pages_test import Pages  # noqa: F401: its tests are run with these

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


def room_of(name, base):
    rest = name[len(base) + 1:].split("/")
    return rest[0] if len(rest) > 1 else "."


def rooms_in_order():
    """By folder: the first cells of its table in docs/house.md, from the ground up."""
    rooms, base = {}, None
    for line in lines_of("docs/house.md"):
        if heading := re.match(r"### (?:(\S+)/)?", line):
            base = heading[1]
        elif base and (row := re.match(r"\| (`.*?) \|", line)):
            rooms.setdefault(base, []).append(row[1])
    return rooms


class House(unittest.TestCase):
    def test_no_line_is_longer_than_120_columns(self):
        long = [f"{name}:{number}: {len(line)} columns" for name in sources(*CODE, ".glsl", ".vert", ".frag") if "corpus" not in name
                for number, line in enumerate(lines_of(name), 1) if len(line) > 120]
        self.assertEqual(long, [])

    def test_no_file_is_longer_than_400_lines(self):
        long = [f"{name}: {len(lines_of(name))} lines" for name in sources(*CODE, ".py") if len(lines_of(name)) > 400]
        self.assertEqual(long, [])

    def test_who_has_constant_memory_says_so(self):
        """In kernels(), by ConstantWeights::described: else two threads would overwrite each other's weights."""
        silent = [name for name in sources(".cu") if name.startswith("kernels/strategies/")
                  for text in ["\n".join(lines_of(name))]
                  if "__constant__ " in text and "kernels() const override" in text and ".described(" not in text]
        self.assertEqual(silent, [])

    def test_the_lists_of_how_kernels_are_compiled_are_true(self):
        """Forgotten in SM_90A, a strategy would refuse every GPU. What CMake does not see cannot be kept apart from others."""
        text = "\n".join(lines_of("kernels/CMakeLists.txt"))
        strategies = [name for name in sources(".cu") if name.startswith("kernels/strategies/")]
        files = {f"{name.split('/')[2]}/{name.split('/')[-1][:-3]}": name for name in strategies}  # of KIND/ID
        listed = {what: [files[word] for word in re.search(rf"set\({what}\s([^)]+)\)", text)[1].split()]
                  for what in ("QUARTER_OF_CONSTANT_MEMORY", "SM_90A")}

        def includes(name, macro, seen):
            seen.add(name)
            code = "\n".join(lines_of(name))
            further = set(re.findall(r'^#include "(kernels/[^"]+)"', code, re.M)) - seen
            return macro in code or any(includes(one, macro, seen) for one in further if one not in seen)

        self.assertEqual(sorted(listed["SM_90A"]), [name for name in strategies if includes(name, "CONVOSCOPE_HAS_SM_90A", set())])
        declares = {name for name in sources(".cu", ".cuh", ".h") if name.startswith("kernels/")
                    and any(re.match(r"\s*(static |extern )?__constant__\b", line) for line in lines_of(name))}
        self.assertGreater(len(declares), 10)
        self.assertEqual(declares - set(strategies), set(), "not of a strategy alone")
        self.assertEqual(set(listed["QUARTER_OF_CONSTANT_MEMORY"]) - declares, set(), "has no constant memory")

    def test_no_thread_is_detached(self):
        self.assertEqual([name for name in sources(*CODE) if any(".detach()" in line for line in lines_of(name))], [])

    def test_who_ends_a_thread_is_said_where_it_is_declared(self):
        silent = []
        for name in sources(".cpp", ".h"):
            lines = lines_of(name)
            for number, line in enumerate(lines):
                if not name.startswith("tests/") and re.match(r" +(std::vector<)?std::(j?thread>?|future<.*>) (thread|\w+_)(, \w+_)*;", line):
                    said = [line]
                    while re.match(r" *//", lines[number - 1]):
                        said.append(lines[number := number - 1])
                    if not any("//" in each and "join" in each for each in said):
                        silent.append(f"{name}: {line.strip()}")
        self.assertEqual(silent, [])

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

    def test_rooms_include_those_above_them_alone(self):
        """In the order of docs/house.md, for kernels/, app/ and app/ui/. What lies in the folder itself is a row of its own."""
        wrong = []
        for base, rows in rooms_in_order().items():
            order = {}
            for place, cell in enumerate(rows):
                for name in re.findall(r"`([^`]+)`", cell):
                    order["." if not name.endswith("/") else name[:-1]] = place
            for name in sources(*CODE, ".in"):
                if not name.startswith(base + "/"):
                    continue
                room = room_of(name, base)
                if room not in order:
                    wrong.append(f"{name}: docs/house.md does not list the room {room} of {base}/")
                    continue
                for line in lines_of(name):
                    included = re.match(rf'#include "({base}/[^"]+)"', line)
                    if included and order.get(room_of(included[1], base), len(rows)) > order[room]:
                        wrong.append(f"{name} includes {included[1]}, of a room below its own")
            there = {room_of(name, base) for name in sources(*CODE, ".in") if name.startswith(base + "/")}
            wrong += [f"docs/house.md lists {room}, which {base}/ has not" for room in order if room not in there]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_kinds_are_walked_and_not_named(self):
        """What a kind is to the window says the table of the workbenches, to what is heard its own header; a learner is made for layers."""
        naming = [f"{name}: {line.strip()}" for name in sources(".cpp", ".h") if name.startswith("app/")
                  and name not in ("app/state/workbench.h", "app/state/sound_kind.h", "app/learn/learner.cpp")
                  for line in lines_of(name) if re.search(r"\b(signal|volume|layer)_kind\b|&image_kind\b", line)]
        self.assertEqual(naming, [])

    def test_a_strategys_name_stands_in_its_own_file_and_the_list(self):
        """Beside tests and texts. The same words mean something else where they are a filter, a package or an algorithm."""
        elsewhere = {("box", "kernels/filter/filter_catalogue.cpp"), ("box", "kernels/choose/auto_memory.cpp"),
                     ("cudnn", "kernels/libraries/cudnn_gradients.h"), ("direct", "kernels/peers/cudnn_forward.cuh"),
                     ("direct", "kernels/peers/layer/cudnn.cu"), ("depthwise", "app/ui/panels/layer_panel.cpp"),
                     ("depthwise", "app/session/layer_fields.h"), ("depthwise", "app/measure/sweep/sweep_curves.h"),
                     ("depthwise", "app/measure/sweep/sweep_curves.cpp"), ("depthwise", "app/ui/windows/sweep_window.cpp")}
        # What runs until the kernel that is written for a filter has been compiled.
        elsewhere |= {(name, "kernels/strategies/image/6-other-algorithms/specialised.cu") for name in ("constant", "register-stream", "register-tile")}
        lists = re.findall(r"_(?:CPU|CUDA)_STRATEGIES([^)]+)\)", "\n".join(lines_of("kernels/CMakeLists.txt")))
        names = {word for words in lists for word in words.split() if not word.startswith("$")}
        self.assertIn("tiled-halo", names)
        wrong = []
        for file in sources(*CODE):
            if file.startswith("tests/"):
                continue
            own = os.path.splitext(os.path.basename(file))[0]
            for word in set(re.findall(r'"([a-z0-9-]+)"', "\n".join(lines_of(file)))) & names - {own}:
                if (word, file) not in elsewhere:
                    wrong.append(f"{file}: {word}")
        self.assertEqual(wrong, [])

    def test_make_tsan_takes_the_tests_of_whatever_has_threads(self):
        makefile = "\n".join(lines_of("Makefile")).replace("\\\n", " ")
        parts, tests = (re.search(rf"^TSAN_{what} = (.*)$", makefile, re.M)[1].split() for what in ("PARTS", "TESTS"))
        chosen = re.compile("|".join(tests))
        text = {name: "\n".join(lines_of(name)) for name in sources(".cpp", ".h")}
        thread = re.compile(r"std::(j?thread\b(?!::hardware)|future<|async\()")
        # What declares a thread, or starts one; not what has some for the length of a call.
        owners = {re.sub(r"\.cpp$", ".h", name) for name, code in text.items()
                  if name.startswith(("app/", "kernels/")) and not name.startswith("kernels/kinds/") and thread.search(code)}
        owners |= {name for name, code in text.items() if name.endswith(".h")
                   and re.search(r'#include "(app/jobs/(job_thread|background_jobs)|kernels/choose/worker)\.h"', code)}
        self.assertIn("app/jobs/disk_reader.h", owners)
        left_out = []
        for name, code in text.items():
            # Drivers have threads that nobody instruments; fibers of the emulator are none.
            if not re.fullmatch(r"tests/(?!gl/|emulator/|fuzz/).*_test\.cpp", name):
                continue
            if not thread.search(code) and not any(f'#include "{owner}"' in code for owner in owners):
                continue
            suites = re.findall(r"^TEST(?:_F)?\((\w+),", code, re.M)
            suites += [f"{group}/{suite}" for group, suite in re.findall(r"INSTANTIATE_TEST_SUITE_P\((\w+), (\w+)", code)]
            part = "jit_ending" if "/fake/" in name else name.split("/")[1]
            if part not in parts or not any(chosen.match(suite) for suite in suites) and part != "jit_ending":
                left_out.append(f"{name}: {', '.join(sorted(set(suites)))}")
        self.assertEqual(left_out, [], "\n".join(left_out))

    def test_make_test_leaves_out_only_tests_that_there_are(self):
        """By suites, in the CMakeLists.txt of their own room. CMake itself refuses a label for a test that it does not know."""
        self.assertRegex("\n".join(lines_of("Makefile")), r"(?m)^\tctest --preset ci .* -LE long$")
        long, missing = 0, []
        for lists in sources("CMakeLists.txt"):
            room = os.path.dirname(lists)
            text = "\n".join("\n".join(lines_of(name)) for name in sources(".cpp") if name.startswith(room + "/"))
            for words in re.findall(r'^add_suites\((?:[^)"]|"[^"]*")* LONG ((?:[^)"]|"[^"]*")*)\)', "\n".join(lines_of(lists)), re.M):
                for word in words.replace('"', "").split():
                    long += 1
                    # A suite, or GROUP/SUITE, and a case; GROUP/.* has all suites of a group.
                    group, suite, case = re.fullmatch(r"(?:(\w+)/)?(\w*)(?:\[\.\](\w+))?.*", word).groups()
                    if suite and not re.search(rf"^TEST(_F|_P)?\({suite}\w*, {case or ''}", text, re.M):
                        missing.append(f"{lists}: {word}")
                    if group and not re.search(rf"INSTANTIATE_TEST_SUITE_P\(\s*{group}, {suite}", text):
                        missing.append(f"{lists}: {word}")
        self.assertGreater(long, 10)
        self.assertEqual(missing, [])

    def test_each_suite_is_of_one_program(self):
        """ctest finds tests by their names: what is set for one, its label and its folder, would be set for both."""
        rooms = {}
        for name in sources(".cpp"):
            if name.startswith("tests/") and "/fake/" not in name:
                for suite in re.findall(r"^TEST(?:_F)?\((\w+),", "\n".join(lines_of(name)), re.M):
                    rooms.setdefault(suite, set()).add(name.split("/")[1])
        self.assertEqual({suite: sorted(of) for suite, of in rooms.items() if len(of) > 1}, {})

    def test_make_soak_hands_its_options_on(self):
        options = "--backend cuda --display :0"
        printed = subprocess.run(["make", "-n", "-C", ROOT, "soak", f"ARGS={options}"], capture_output=True, text=True, check=True).stdout
        self.assertIn("tests/window/monkey.py", printed)
        self.assertIn(options, printed)

    @unittest.skipUnless(shutil.which(FORMAT), FORMAT + " is not installed")
    def test_the_code_is_laid_out_by_clang_format(self):
        for_all = subprocess.run([FORMAT, "--dry-run", "-Werror", *sources(*CODE)], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(for_all.returncode, 0, "house_test.py --mend mends:\n" + for_all.stderr[:4000])


if __name__ == "__main__":
    if "--mend" in sys.argv:
        sys.exit(subprocess.run([FORMAT, "-i", *sources(*CODE)], cwd=ROOT).returncode)
    unittest.main()
