#pragma once
// How a strategy comes to one output: which block and which thread, and what they load for it. Each strategy says it of
// itself (Strategy::explain), in the file of its kernel and with the numbers that its launch uses; the tests hold it
// against what the kernel is seen to do. What is declared here is plain arithmetic: any thread, no errors.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace convoscope {

// A rectangle of pixels. It may reach beyond the image, where the border decides what is there (ghost cells).
struct PixelArea {
  int x = 0, y = 0, width = 0, height = 0;
  bool contains(int px, int py) const { return px >= x && px < x + width && py >= y && py < y + height; }
  bool empty() const { return width <= 0 || height <= 0; }
  bool operator==(const PixelArea&) const = default;
};
PixelArea grown(const PixelArea&, int rx, int ry);           // by a filter's radius on every side
PixelArea clipped(const PixelArea&, int width, int height);  // to an image; may be empty
std::vector<PixelArea> grown(std::vector<PixelArea>, int rx, int ry);
// `count` pixels from the `first` on, numbered along the rows of an image: up to three rectangles.
std::vector<PixelArea> run_of_pixels(std::size_t first, std::size_t count, int image_width);

// What one kernel does for the output. blockIdx, threadIdx and blockDim in CUDA's order.
struct KernelStep {
  std::string kernel;
  std::array<int, 3> block{}, thread{}, block_size{1, 1, 1};
  std::vector<PixelArea> outputs;         // of the block; the part beyond the image is not written
  std::vector<PixelArea> thread_outputs;  // of the thread, the explained one among them
  std::vector<PixelArea> tile;            // what the block brings into shared memory, halo included
  std::vector<PixelArea> direct;          // what its threads read from global memory where they need it
  bool of_input = true;                   // false: tile and direct lie in what the step before has left
  bool block_per_channel = false;         // blockIdx.z is the channel; `block` makes red, those after it the others
  std::string words;                      // how the threads share the work, in a sentence or two
};

struct Explanation {
  std::vector<KernelStep> steps;  // in the order of the launches; the last writes the output. Empty: only words
  std::string words;              // how the numbers differ from weights times inputs, or how it is done without blocks
};

// Of a kernel whose block makes width × height outputs, a thread each: without what is loaded.
KernelStep one_thread_per_output(std::string kernel, int block_width, int block_height, int x, int y);
// The same when each thread also reads its own window, so that the caches are all that threads share.
Explanation explain_windows(std::string kernel, int block_width, int block_height, int rx, int ry, int image_width,
                            int image_height, int x, int y, std::string words);

// Of a thread that walks down a strip: columns × rows outputs, for which it reads `beside` pixels more to the left and
// to the right of them, and `above` as many rows above and below.
struct ThreadStrip {
  int columns = 1, rows = 1, beside = 0, above = 0;
};
// Of a kernel whose threads have a strip each, those of a block side by side and one below the other. They read no
// further down than the image's last row needs; threads without outputs in the image read nothing.
KernelStep one_strip_per_thread(std::string kernel, int block_width, int block_height, const ThreadStrip&,
                                int image_width, int image_height, int x, int y);

}  // namespace convoscope
