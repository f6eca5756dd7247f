#!/usr/bin/env python3
"""How much of a strategy's file is its kernel: python3 tests/house/kernel_share.py [FILE...]

Counted are the lines that are not blank: of each function that the device runs from its template or first line to its
closing brace, of each type with such functions, and those of __constant__ memory, over all of the file. Without files:
all strategies of images, and the sum without `specialised`, whose kernel is written when the program runs.
"""
import pathlib
import re
import sys

FIRST = ("global constant texture tiled-input-block tiled-halo tiled-halo-regions tiled-cached-halo register-tile "
         "register-stream").split()
STRATEGIES = pathlib.Path(__file__).parents[2] / "kernels/strategies/image"
DEVICE = re.compile(r"__global__|__device__|CONVOSCOPE_HOST_DEVICE")
BEGINS = re.compile(r"(template <|class \w|struct \w|inline |static |constexpr |__global__|__device__|CONVOSCOPE_HOST_DEVICE)")
TYPE = re.compile(r"(template <[^{]*> )?(class|struct) ")


def kernel_lines(lines):
    """The count of lines that are the device's."""
    count, at = 0, 0
    while at < len(lines):
        end = at
        if "__constant__" in lines[at] and not lines[at].startswith("//"):
            while ";" not in lines[end]:
                end += 1
            count += end + 1 - at
        elif BEGINS.match(lines[at]):
            while not re.search(r"[;{]", re.sub(r"//.*", "", lines[end])):
                end += 1
            head = " ".join(lines[at:end + 1])
            one_line = re.sub(r"//.*", "", lines[end]).rstrip().endswith(("}", ";"))
            if not one_line:
                while not lines[end].startswith("}"):
                    end += 1
            whole = " ".join(lines[at:end + 1])
            if DEVICE.search(whole if TYPE.match(head) else head):
                count += end + 1 - at
        at = end + 1
    return count


def share(path):
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    return kernel_lines(lines), len(lines)


def main(arguments):
    paths = [pathlib.Path(name) for name in arguments] or [next(STRATEGIES.glob(f"*/{name}.cu")) for name in FIRST] + sorted(
        path for path in STRATEGIES.glob("*/*.cu") if path.stem not in FIRST)
    kernels = total = 0
    for path in paths:
        kernel, lines = share(path)
        if arguments or path.stem != "specialised":
            kernels, total = kernels + kernel, total + lines
        print(f"{path.stem:28} {kernel:4} of {lines:4} {kernel / lines:6.0%}")
    print(f"{'all':28} {kernels:4} of {total:4} {kernels / total:6.0%}")


if __name__ == "__main__":
    main(sys.argv[1:])
