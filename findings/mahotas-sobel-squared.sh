#!/bin/sh
# mahotas 1.4.19: sobel(picture, just_filter=True) is not the gradient's magnitude. The picture is stretched to 0 to 1 by its
# own lowest and highest value first, and what comes out is the square of the magnitude. So a contrast of a hundredth
# has the same edges, two steps of 0.5 and 1 in one picture stand 1 to 4, and one bright pixel elsewhere dims every edge
# by the square. uint8 in convolve() wraps without a word: nine times 200 is 8.
# Installs a public package in a temporary folder. Fails where any of this has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mahotas==1.4.19 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import mahotas
import numpy as np

print("mahotas", mahotas.__version__)

def edges(picture):
    return mahotas.sobel(picture, just_filter=True)

picture = np.random.default_rng(0).random((20, 20))
print("a hundredth of the contrast:", np.abs(edges(picture) - edges(picture * 0.01 + 5)).max(), "apart")
assert np.allclose(edges(picture), edges(picture * 0.01 + 5), atol=1e-9)

steps = np.zeros((6, 12))
steps[:, 4:8], steps[:, 8:] = 0.5, 1.5
row = edges(steps)[3]
print("steps of 0.5 and 1:", row.round(4))
assert np.isclose(row[8] / row[4], 4)

bright = steps.copy()
bright[0, 0] = 3
print("with one pixel twice as bright as the rest:", edges(bright)[3].round(4))
assert np.isclose(edges(bright)[3][8], row[8] / 4)

nine = mahotas.convolve(np.full((5, 5), 200, np.uint8), np.ones((3, 3)))
print("nine times 200:", nine[2, 2], nine.dtype)
assert nine[2, 2] == 8
PYTHON
