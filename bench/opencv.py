#!/usr/bin/env python3
"""OpenCV next to convoscope's CPU strategies, on the cores of this machine.

    bench/opencv.py build/release/convoscope [--json opencv.json] [--rounds 5]

filter2D, sepFilter2D and GaussianBlur on a 1920×1080 picture of four 8-bit channels, at r = 1, 2, 4, 8, next to
`convoscope bench --backend cpu` with the same Gaussian. Both run on all cores; the two take turns, round by round, so
that other loads fall on both, and both take another picture each time, so that no cache has it. Figures are wall-clock
medians; next to them the CPU time (user and system of all threads) divided by the cores, which other programs disturb
less. OpenCV (Debian: python3-opencv, else pip's opencv-python-headless) is needed by this script only.
"""
import argparse
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 1920, 1080
RADII = (1, 2, 4, 8)
STRATEGIES = "cpu-parallel,cpu-separable,cpu-separable-int16,auto"
PICTURES = 100  # 0.8 GB in and 0.8 GB out; convoscope does the same
REPEATS = 9  # of OpenCV in each round; convoscope repeats by itself


def fail(sentence):
    sys.exit(f"opencv.py: {sentence}")


try:
    import cv2
    import numpy as np
except ImportError:
    fail("OpenCV for Python is missing. Install python3-opencv, or opencv-python-headless with pip.")


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def opencv_calls(radius):
    size, sigma = 2 * radius + 1, 0.0
    taps = cv2.getGaussianKernel(size, sigma, cv2.CV_32F)
    weights = taps @ taps.T
    border = cv2.BORDER_REPLICATE
    return {
        "filter2D": lambda picture, out: cv2.filter2D(picture, -1, weights, dst=out, borderType=border),
        "sepFilter2D": lambda picture, out: cv2.sepFilter2D(picture, -1, taps, taps, dst=out, borderType=border),
        "GaussianBlur": lambda picture, out: cv2.GaussianBlur(picture, (size, size), sigma, dst=out, borderType=border),
    }


def measure_opencv(pictures, radius, cores, into):
    """pictures: an endless iterator of pairs, in and out."""
    for name, call in opencv_calls(radius).items():
        call(*next(pictures))  # starts threads
        for _ in range(REPEATS):
            pair = next(pictures)
            wall, cpu = time.perf_counter(), cpu_seconds()
            call(*pair)
            into.setdefault((name, radius), []).append(
                ((time.perf_counter() - wall) * 1e3, (cpu_seconds() - cpu) * 1e3 / cores))


def measure_ours(program, radius, into):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        command = [program, "bench", "--backend", "cpu", "--strategy", STRATEGIES, "--filter", f"gaussian:radius={radius}",
                   "--size", f"{WIDTH}x{HEIGHT}", "--format", "rgba8", "--json", path]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"{program} bench left with {done.returncode}: {done.stderr.strip()[-300:]}")
        with open(path, encoding="utf-8") as file:
            for row in json.load(file)["rows"]:
                into.setdefault((row["strategy"], radius), []).append((row["median_ms"], row.get("cpu_ms")))


def summary(samples):
    cpu = [each for _, each in samples if each is not None]
    return {"median_ms": statistics.median(wall for wall, _ in samples),
            "cpu_ms": statistics.median(cpu) if cpu else None, "samples": len(samples)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="convoscope, built for release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="also write the figures there")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        fail("--rounds must be at least 1.")
    if not os.access(arguments.program, os.X_OK):
        fail(f"{arguments.program} is not a program. Build it with: cmake --preset release && ninja -C build/release")

    cores = len(os.sched_getaffinity(0))
    cv2.setNumThreads(cores)
    picture = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 4), dtype=np.uint8)
    pictures = itertools.cycle([(picture.copy(), np.full_like(picture, 1)) for _ in range(PICTURES)])
    found = {}
    for turn in range(arguments.rounds):
        for radius in RADII:
            print(f"round {turn + 1} of {arguments.rounds}, r = {radius}", file=sys.stderr)
            steps = [lambda: measure_opencv(pictures, radius, cores, found),
                     lambda: measure_ours(arguments.program, radius, found)]
            for step in steps if turn % 2 == 0 else reversed(steps):
                step()

    rows = {key: summary(samples) for key, samples in found.items()}
    names = sorted({name for name, _ in rows}, key=lambda name: (not name[0].islower() or "2D" in name, name))
    load = os.getloadavg()[0]
    print(f"OpenCV {cv2.__version__}, {cores} cores, 1920×1080 rgba8, load {load:.1f}. "
          "Milliseconds a frame, median; in brackets CPU time over the cores.\n")
    print("| | " + " | ".join(f"r = {radius}" for radius in RADII) + " |")
    print("| --- |" + " --: |" * len(RADII))
    for name in names:
        texts = []
        for radius in RADII:
            row = rows.get((name, radius))
            cpu = f" ({row['cpu_ms']:.1f})" if row and row["cpu_ms"] is not None else ""
            texts.append(f"{row['median_ms']:.1f}{cpu}" if row else "–")
        print(f"| {name} | " + " | ".join(texts) + " |")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"opencv": cv2.__version__, "cores": cores, "load": load,
                       "rows": [{"name": name, "radius": radius, **row} for (name, radius), row in rows.items()]},
                      file, indent=1)


if __name__ == "__main__":
    main()
