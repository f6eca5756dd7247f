#!/usr/bin/env python3
"""How much of a strategy's file is its kernel: python3 tests/house/kernel_share.py [FILE...]

Counted are the lines that are not blank: of each function with __global__ or __device__ from its template or first line
to its closing brace, and those of __constant__ memory, over all of the file. Without files: all strategies of images.
"""
import pathlib
import re
import sys

FIRST = ("global constant texture tiled-input-block tiled-halo tiled-halo-regions tiled-cached-halo register-tile "
         "register-stream").split()
STRATEGIES = pathlib.Path(__file__).parents[2] / "kernels/strategies/image"
BEGINS = re.compile(r"(template <|__global__|__device__|inline __device__|static __device__|constexpr __device__)")


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
            one_line = lines[end].endswith(("}", ";"))
            if not one_line:
                while not lines[end].startswith("}"):
                    end += 1
            if "__global__" in head or "__device__" in head:
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
        kernels, total = kernels + kernel, total + lines
        print(f"{path.stem:28} {kernel:4} of {lines:4} {kernel / lines:6.0%}")
    print(f"{'all':28} {kernels:4} of {total:4} {kernels / total:6.0%}")


if __name__ == "__main__":
    main(sys.argv[1:])
