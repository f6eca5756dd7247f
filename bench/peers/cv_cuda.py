#!/usr/bin/env python3
"""CV-CUDA's operators for a Gaussian of radius r on 3840 × 2160, each by itself: 8-bit RGBA and float gray. The mean of
the same size, too. README.md says how to run it.

    bench/peers/cv_cuda.py 1 2 4 8 16
"""
import statistics
import sys

try:
    import cupy
    import cvcuda
    import numpy as np
except ImportError as error:
    sys.exit(f"cv_cuda.py: {error.name} is missing: install cvcuda-cu13, cupy-cuda13x and numpy with pip.")

WIDTH, HEIGHT = 3840, 2160
PAIRS, WARM_UP, SAMPLES, BATCH = 8, 3, 15, 20
BORDER = cvcuda.Border.REPLICATE


def batch_of(array, pixels):
    batch = cvcuda.ImageBatchVarShape(1)
    batch.pushback(cvcuda.as_image(array, pixels))
    return batch


class Pictures:
    """Pairs of pictures of 4 bytes a pixel, more of them than the last cache holds."""

    def __init__(self, floats):
        random = np.random.default_rng(1)
        shape = (HEIGHT, WIDTH, 1 if floats else 4)
        self.noise = random.random(shape, np.float32) if floats else random.integers(0, 256, shape, np.uint8)
        self.pixels = cvcuda.Format.F32 if floats else cvcuda.Format.RGBA8
        self.arrays = [(cupy.asarray(self.noise), cupy.zeros(shape, self.noise.dtype)) for _ in range(PAIRS)]
        cupy.cuda.Device().synchronize()
        self.tensors = [tuple(cvcuda.as_tensor(each, "HWC") for each in pair) for pair in self.arrays]
        self.batches = [tuple(batch_of(each, self.pixels) for each in pair) for pair in self.arrays]
        self.own = cvcuda.Stream()
        self.stream = cupy.cuda.ExternalStream(self.own.handle)

    def copy(self, pair):
        source, target = self.arrays[pair]
        cupy.cuda.runtime.memcpyAsync(target.data.ptr, source.data.ptr, source.nbytes, 3, self.stream.ptr)

    def milliseconds(self, call):
        times = []
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        for sample in range(-WARM_UP, SAMPLES):
            for pair in range(PAIRS * 4):  # the device is busy while the host queues the batch
                self.copy(pair % PAIRS)
            start.record(self.stream)
            for i in range(BATCH):
                call(i % PAIRS)
            stop.record(self.stream)
            stop.synchronize()
            if sample >= 0:
                times.append(cupy.cuda.get_elapsed_time(start, stop) / BATCH)
        return statistics.median(times)

    def error(self, call, weights):
        """How far a result is from the exact one, at every 61st pixel away from the border."""
        call(0)
        self.stream.synchronize()
        seen, radius, largest = self.arrays[0][1].get(), len(weights) // 2, 0.0
        for y in range(radius, HEIGHT - radius, 61):
            for x in range(radius, WIDTH - radius, 61):
                part = self.noise[y - radius:y + radius + 1, x - radius:x + radius + 1, 0].astype(np.float64)
                largest = max(largest, abs((part * weights).sum() - float(seen[y, x, 0])))
        return largest


def gaussian(radius):
    """As convoscope's `gaussian:radius=r` has it: sigma r/2, a sum of 1."""
    row = np.exp(-0.5 * (np.arange(-radius, radius + 1) / (radius / 2)) ** 2)
    square = np.outer(row, row)
    return (square / square.sum()).astype(np.float32)


def main():
    radii = [int(argument) for argument in sys.argv[1:]] or [2]
    for floats in (False, True):
        pictures = Pictures(floats)
        copy = pictures.milliseconds(pictures.copy)
        print(f"{'F32' if floats else 'RGBA8'}, {WIDTH} × {HEIGHT}: copy {copy:.4f} ms")
        for radius in radii:
            taps, weights = 2 * radius + 1, gaussian(radius)
            kernels = batch_of(cupy.asarray(weights[..., np.newaxis]), cvcuda.Format.F32)
            anchors = cvcuda.as_tensor(cupy.asarray(np.full((1, 2), radius, np.int32)), "NC")
            calls = {
                "gaussian": (weights, lambda pair: cvcuda.gaussian_into(
                    pictures.tensors[pair][1], pictures.tensors[pair][0], (taps, taps), (radius / 2,) * 2, BORDER,
                    stream=pictures.own)),
                "averageblur": (np.full((taps, taps), 1 / taps**2), lambda pair: cvcuda.averageblur_into(
                    pictures.tensors[pair][1], pictures.tensors[pair][0], (taps, taps), (-1, -1), BORDER,
                    stream=pictures.own)),
                "conv2d": (weights, lambda pair: cvcuda.conv2d_into(
                    pictures.batches[pair][1], pictures.batches[pair][0], kernels, anchors, BORDER,
                    stream=pictures.own)),
            }
            for name, (exact, call) in calls.items():
                error = pictures.error(call, exact)
                time = pictures.milliseconds(call)
                print(f"  r = {radius:2}  {name:12} {time:8.4f} ms  {time / copy:7.2f} × copy  error {error:.3g}",
                      flush=True)


if __name__ == "__main__":
    main()
