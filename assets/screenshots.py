#!/usr/bin/env python3
"""Makes the pictures of the README and docs from the program itself: assets/screenshots.py [build/…/convoscope] [--backend cpu].

Most are drawn offscreen; what only keys and mouse open is used in a window on a virtual screen (Xvfb, xdotool)."""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "tests", "window"))
from desktop import HEIGHT, WIDTH, Desktop  # noqa: E402

LIMIT, LESSON_LIMIT = 250_000, 150_000  # bytes of each

BLUR = ["--filter", "gaussian:radius=6"]
EDGES = ["--filter", "sobel-magnitude"]
# The first pane is the active one. The same strategies wherever there is no GPU; "@" gives a pane a filter of its own.
COMPARED = "cpu-separable@gaussian:radius=4,source,cpu-parallel@sobel-magnitude"
NINE = ("source,cpu-parallel@box:radius=3,cpu-parallel@gaussian:radius=8,cpu-parallel@sharpen,cpu-parallel@emboss,"
        "cpu-parallel@sobel-x,cpu-parallel@sobel-y,cpu-parallel@laplacian,cpu-parallel@unsharp")
SHOTS = {
    "screenshot": ["--compare", COMPARED, "--view", "split:at=0.36+0.64"],
    "view-single": ["--strategy", "cpu-separable", *BLUR],
    "view-grid": ["--compare", COMPARED + ",cpu-direct@sharpen", "--view", "grid"],
    "view-nine": ["--compare", NINE, "--view", "grid", "--no-panels"],
    "view-split": ["--compare", COMPARED, "--view", "split:angle=20,at=0.35+0.65"],
    "view-difference": ["--compare", "source,cpu-separable", *BLUR, "--view", "difference:mode=signed,gain=2"],
    "view-false-colour": ["--compare", "source,cpu-separable", *BLUR, "--view",
                          "difference:gain=2,threshold=4,false-colour"],
    "theme-light": ["--compare", "source,cpu-parallel", *EDGES, "--view", "grid", "--theme", "light"],
    "projector": ["--compare", "source,cpu-separable", *BLUR, "--view", "split:at=0.4", "--projector"],
    "palette": ["--strategy", "cpu-separable", *BLUR, "--show", "palette"],
}
# What --backend cuda shows instead.
ON_A_GPU = {"cpu-direct": "constant", "cpu-parallel": "tensor-core-int8", "cpu-separable": "separable-int8"}


def for_backend(options, backend):
    if backend == "cuda":
        for cpu, cuda in ON_A_GPU.items():
            options = [option.replace(cpu, cuda) for option in options]
    return options if "--backend" in options else [*options, "--backend", backend]


def inspect(desktop):
    desktop.key("F3", "F4", "F5", "F9", "o", "space", "q", "i", "j", "shift+j")
    desktop.xdotool("mousemove", 300, 300)
    desktop.frames()
    desktop.key("shift+i")  # pinned, so that the cards stay


def explain(desktop):
    desktop.key("space", "o", "e")
    desktop.click(330, 300)


def sweep(desktop):
    desktop.key("shift+F8")
    desktop.wait_for(lambda: "has measured" in desktop.output(), "the sweep to end", 300)


def timing(desktop):
    desktop.key("F3", "F4", "2", "ctrl+b", "c")
    time.sleep(20)  # enough times for intervals
    desktop.xdotool("mousemove", 1100, 450, "click", "--repeat", "20", "--delay", "100", "5")  # down to the roofline


# What a window is opened with, and what is done in it.
WINDOWS = {
    "inspect": (["--compare", "source,cpu-parallel", *EDGES, "--view", "split"], inspect),
    "explain": (["--backend", "emulated", "--strategy", "tiled-halo", "--filter", "gaussian:radius=2", "--size", "160x90"], explain),
    "explain-layer": (["--backend", "emulated", "--workbench", "layer", "--maps", "4", "--strategy", "implicit-gemm",
                       "--size", "320x180"], explain),
    "sweep": (["--compare", "cpu-direct,cpu-parallel,cpu-separable", *BLUR, "--view", "single", "--size", "640x360"], sweep),
    "timing": (["--compare", "cpu-parallel,cpu-separable,cpu-separable", *BLUR, "--view", "grid", "--size", "640x360"], timing),
}


def lesson(program, backend):
    """The steps of docs/first-ten-minutes.md in one window, and what is on the screen after each."""
    with Desktop(program, "pattern", "--size", "640x360", "--rate", "5", "--window", f"{WIDTH}x{HEIGHT}", "--backend", backend) as desktop:
        def picture(name):
            time.sleep(6)  # feedback has gone
            desktop.frames(4)
            path = os.path.join(FOLDER, f"lesson-{name}.png")
            desktop.look().save(path)
            finish(path, LESSON_LIMIT)
        desktop.wait_for(lambda: desktop.look().contrast(330, 120, 880, 560) > 0.3, "a picture")
        picture("start")
        desktop.key("ctrl+p")
        desktop.frames(3)
        desktop.type("filter laplacian")
        picture("palette")
        desktop.key("Return", "ctrl+d", "shift+2")
        picture("grid")
        desktop.key("shift+3")
        picture("wipe")
        desktop.click(850, 300)
        desktop.key("shift+4", "ctrl+2")
        picture("difference")
        desktop.key("ctrl+1", "w", "Up")
        desktop.type("2/3")
        desktop.key("Return")
        picture("weight")
        desktop.key("Escape", "shift+2", "F3", "F4", "ctrl+b")
        desktop.xdotool("mousemove", 1100, 550, "click", "--repeat", "4", "--delay", "100", "5")  # down to the panes' rows
        desktop.xdotool("mousemove", 100, 600)  # no tooltip
        time.sleep(30)  # enough times for intervals
        picture("times")


def shrink(path, limit):
    """To a palette, of fewer colours the larger the picture: zone plates and noise do not compress."""
    small = path + ".small.png"
    for colours in (256, 128, 64, 48, 32, 24, 16):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", path, "-filter_complex",
                        f"split[a][b];[a]palettegen=max_colors={colours}:stats_mode=single[p];[b][p]paletteuse=dither=none", small],
                       check=True)
        if os.path.getsize(small) <= limit:
            break
    os.replace(small, path)


def finish(path, limit=LIMIT):
    if os.path.getsize(path) > limit:
        shrink(path, limit)
    print(f"{path}: {os.path.getsize(path) // 1024} KB", flush=True)


def draw_offscreen(program, options, path):
    subprocess.run([program, "pattern", *options, "--offscreen", "--frames", "120", "--window", f"{WIDTH}x{HEIGHT}",
                    "--screenshot", path], check=True)


def use_window(program, options, use, path):
    with Desktop(program, "pattern", *options, "--window", f"{WIDTH}x{HEIGHT}") as desktop:
        desktop.wait_for(lambda: desktop.look().contrast(330, 120, 880, 560) > 0.3, "a picture")
        desktop.click_mark("hint/close")
        use(desktop)
        time.sleep(8)  # messages have gone
        desktop.key("s")
        [made] = desktop.wait_for(lambda: "Saved a screenshot" in desktop.output() and
                                  glob.glob(os.path.join(desktop.folder.name, "*.png")), "the screenshot")
        shutil.copy(made, path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program", nargs="?", default="build/release/convoscope")
    arguments.add_argument("--backend", default="cpu")
    arguments.add_argument("--only", help="the names of a few, parted by commas")
    chosen = arguments.parse_args()
    if not os.access(chosen.program, os.X_OK):
        sys.exit(f"There is no program {chosen.program}. Build it, or give its path.")
    program = os.path.abspath(chosen.program)
    for name in [*SHOTS, *WINDOWS]:
        if chosen.only and name not in chosen.only.split(","):
            continue
        path = os.path.join(FOLDER, name + ".png")
        if name in SHOTS:
            draw_offscreen(program, for_backend(SHOTS[name], chosen.backend), path)
        else:
            options, use = WINDOWS[name]
            use_window(program, for_backend(options, chosen.backend), use, path)
        finish(path)
    if not chosen.only or "lesson" in chosen.only.split(","):
        lesson(program, chosen.backend)


if __name__ == "__main__":
    main()
