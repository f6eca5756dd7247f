"""Compiles each header of a room by itself, without precompiled headers: it includes what it needs.

    includes_test.py BUILD ROOM...      such as build/ci app/ui/parts; the last part "." is the folder without its rooms

Where several files are compiled as one, those before a header would hide what it forgets.
"""
import glob
import json
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Their headers are for kernels, which the host's compiler knows by the emulator.
OF_KERNELS = ("kernels/device", "kernels/emulator", "kernels/peers", "kernels/strategies")
OF_SOME_FILES = ("CONVOSCOPE_EMULATED", "CONVOSCOPE_QUICK_KERNELS")


def compiler_and_options(build):
    """Those of the program's own C++, whichever file they are for: where headers lie, and what is defined."""
    compiler, options, defined = None, [], set()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        words = shlex.split(entry["command"])
        if "nvcc" in words[0] or not entry["file"].endswith(".cpp") or "/tests/" in entry["file"].removeprefix(ROOT):
            continue
        compiler = compiler or words[0]
        for word, following in zip(words, [*words[1:], ""]):
            option = [word, following] if word == "-isystem" else [word]
            name = word[2:].split("=")[0]
            if word == "-isystem" or word.startswith(("-I", "-std=")) or word == "-pthread":
                options += option if option[-1] not in options else []
            elif word.startswith("-D") and name not in defined and name not in OF_SOME_FILES:
                defined.add(name)
                options.append(word)
    return compiler, options


def headers(room):
    folder, rooms = (os.path.dirname(room), False) if room.endswith("/.") else (room, True)
    pattern = os.path.join(ROOT, folder, "**" if rooms else "", "*.h")
    return sorted(os.path.relpath(path, ROOT) for path in glob.glob(pattern, recursive=True))


def main():
    build, rooms = sys.argv[1], sys.argv[2:]
    compiler, options = compiler_and_options(build)
    found = [(header, room) for room in rooms for header in headers(room)]
    assert found, f"no header in {', '.join(rooms)}"
    wrong = 0
    for header, room in found:
        more = ["-DCONVOSCOPE_EMULATED", "-Wno-unknown-pragmas"] if room.startswith(OF_KERNELS) else []
        done = subprocess.run([compiler, *options, *more, "-fsyntax-only", "-x", "c++", "-"], input=f'#include "{header}"\n', cwd=ROOT,
                              capture_output=True, text=True)
        if done.returncode:
            wrong += 1
            print(f"{header} does not compile by itself:\n{done.stderr[:3000]}")
    print(f"{len(found)} headers, {wrong} of which forget something")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
