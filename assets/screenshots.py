#!/usr/bin/env python3
"""Makes the pictures of the README from the program itself: assets/screenshots.py [build/…/convoscope] [--backend cpu]."""
import argparse
import os
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
LIMIT = 250_000  # bytes of each

BLUR = ["--filter", "gaussian:radius=6"]
EDGES = ["--filter", "sobel-magnitude"]
# The same strategies wherever there is no GPU; "@" gives a pane a filter of its own.
COMPARED = "source,cpu-parallel@gaussian:radius=6,cpu-separable@sharpen"
NINE = ("source,cpu-parallel@box:radius=3,cpu-parallel@gaussian:radius=8,cpu-parallel@sharpen,cpu-parallel@emboss,"
        "cpu-parallel@sobel-x,cpu-parallel@sobel-y,cpu-parallel@laplacian,cpu-parallel@unsharp")
SHOTS = {
    "screenshot": ["--compare", "source,cpu-parallel", *EDGES, "--view", "split:angle=20,at=0.45"],
    "view-single": ["--strategy", "cpu-separable", *BLUR],
    "view-grid": ["--compare", COMPARED + ",cpu-direct@sobel-magnitude", "--view", "grid"],
    "view-nine": ["--compare", NINE, "--view", "grid", "--no-panels"],
    "view-split": ["--compare", COMPARED, "--view", "split:angle=-30,at=0.35+0.65"],
    "view-difference": ["--compare", "source,cpu-separable", *BLUR, "--view", "difference:mode=signed,gain=2"],
    "view-false-colour": ["--compare", "source,cpu-separable", *BLUR, "--view",
                          "difference:gain=2,threshold=4,false-colour"],
    "theme-light": ["--compare", "source,cpu-separable", *EDGES, "--view", "grid", "--theme", "light"],
    "projector": ["--compare", "source,cpu-separable", *BLUR, "--view", "split:at=0.4", "--projector"],
    "palette": ["--strategy", "cpu-separable", *BLUR, "--show", "palette"],
}


def shrink(path):
    """To a palette of 256 colours, where the picture is too large for a README otherwise."""
    small = path + ".small.png"
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", path, "-filter_complex",
                    "split[a][b];[a]palettegen=max_colors=256:stats_mode=single[p];[b][p]paletteuse=dither=none", small],
                   check=True)
    os.replace(small, path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program", nargs="?", default="build/release/convoscope")
    arguments.add_argument("--backend", default="cpu")
    arguments.add_argument("--only", help="the names of a few, parted by commas")
    chosen = arguments.parse_args()
    if not os.access(chosen.program, os.X_OK):
        sys.exit(f"There is no program {chosen.program}. Build it, or give its path.")
    for name, options in SHOTS.items():
        if chosen.only and name not in chosen.only.split(","):
            continue
        path = os.path.join(FOLDER, name + ".png")
        subprocess.run([os.path.abspath(chosen.program), "pattern", *options, "--backend", chosen.backend, "--offscreen",
                        "--frames", "12", "--window", "1280x720", "--screenshot", path], check=True)
        if os.path.getsize(path) > LIMIT:
            shrink(path)
        print(f"{path}: {os.path.getsize(path) // 1024} KB")


if __name__ == "__main__":
    main()
