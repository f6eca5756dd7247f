#!/bin/sh
# OpenCV 5.0.0's Gaussian, beside what its documentation says and what its filter2D does with the same weights:
#   - getGaussianKernel(n, 0) documents sigma = 0.3 ((n − 1) / 2 − 1) + 0.8. Up to 9 taps it returns fixed weights instead,
#     which are no Gaussian of that sigma: given that sigma as a number, it returns others.
#   - GaussianBlur rounds halves of bytes up; filter2D with the very same weights rounds them to the even number.
# Installs two public packages in a temporary folder. Fails where any of this has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 opencv-python-headless==5.0.0.93
"$folder/venv/bin/python" - <<'PYTHON'
import cv2, numpy

print("OpenCV", cv2.__version__, "NumPy", numpy.__version__)
assert cv2.__version__ == "5.0.0"

for taps in (3, 5, 7, 9, 11, 13):
    sigma = 0.3 * ((taps - 1) / 2 - 1) + 0.8
    automatic = cv2.getGaussianKernel(taps, 0).ravel()
    documented = cv2.getGaussianKernel(taps, sigma).ravel()
    apart = abs(automatic - documented).max()
    print(f"{taps} taps: sigma 0 gives {automatic[taps // 2:]}, sigma {sigma:.1f} {documented[taps // 2:]}: {apart:.4f} apart")
    assert (apart > 0.001) == (taps <= 9)

# A line of 2 in zeros: beside it the sum is 0.25 · 2 = 0.5, exactly. A line of 6: 1.5.
for height in (2, 6, 10):
    picture = numpy.zeros((9, 9), numpy.uint8)
    picture[:, 4] = height
    weights = cv2.getGaussianKernel(3, 0)
    blurred = int(cv2.GaussianBlur(picture, (3, 3), 0)[4, 3])
    filtered = int(cv2.filter2D(picture, -1, weights @ weights.T)[4, 3])
    print(f"the sum {height / 4}: GaussianBlur gives {blurred}, filter2D with its weights {filtered}")
    assert blurred == int(height / 4 + 0.5)  # up
    assert filtered == round(height / 4)     # to the even one
PYTHON
