#!/bin/sh
# OpenImageIO 3.2.2: its own Laplacian kernel, given to its own convolve() as that is called by default, makes every pixel
# infinite, and has_error says that nothing went wrong: convolve() divides by the kernel's sum, which is 0. Without that
# division the values are those of ImageBufAlgo.laplacian(); but it cannot be switched off by the documented name, since
# Python knows the argument as "normalze" alone: by position, or misspelt. Two more of make_kernel(): an even width is made odd
# (4 becomes 5), and a "disk" of 4 is then a plain box of 3 by 3. A name that it does not know sets an error, but the kernel
# that comes with it is a box.
# Installs a public package in a temporary folder. Fails where any of this has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check OpenImageIO==3.2.2.0 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import OpenImageIO as oiio
from OpenImageIO import ImageBuf, ImageBufAlgo, ImageSpec

print("OpenImageIO", oiio.VERSION_STRING)

def picture(values):
    buffer = ImageBuf(ImageSpec(values.shape[1], values.shape[0], 1, "float"))
    buffer.set_pixels(buffer.roi, values.astype(np.float32)[..., None].copy())
    return buffer

def values(buffer):
    return buffer.get_pixels(oiio.FLOAT)[..., 0]

ramp = picture(np.arange(49.0).reshape(7, 7) ** 2)
laplacian = ImageBufAlgo.make_kernel("laplacian", 3, 3)
by_default = ImageBufAlgo.convolve(ramp, laplacian)
as_it_is = ImageBufAlgo.convolve(ramp, laplacian, False)
print("by default:", values(by_default)[3], "error:", by_default.has_error)
print("not normalised:", values(as_it_is)[3])
try:
    ImageBufAlgo.convolve(ramp, laplacian, normalize=False)
    raise SystemExit("normalize= is known by that name")
except TypeError:
    print("normalize=False: refused as an unknown argument")
assert np.array_equal(values(ImageBufAlgo.convolve(ramp, laplacian, normalze=False)), values(as_it_is))
assert np.isinf(values(by_default)).all() and not by_default.has_error
assert np.array_equal(values(as_it_is), values(ImageBufAlgo.laplacian(ramp)))

box, disk = (ImageBufAlgo.make_kernel(name, 4, 4) for name in ("box", "disk"))
print("a box of 4 is", box.spec().width, "wide; a disk of 4:", values(disk).round(3).tolist())
assert box.spec().width == 5
assert np.count_nonzero(values(disk)) == 9 and np.ptp(values(disk)[1:4, 1:4]) == 0

unknown = ImageBufAlgo.make_kernel("median", 5, 5)
print("unknown:", unknown.has_error, unknown.geterror(), values(unknown)[0])
assert np.ptp(values(unknown)) == 0 and abs(values(unknown)[0, 0] - 0.04) < 1e-6
PYTHON
