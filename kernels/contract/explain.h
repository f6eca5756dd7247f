#pragma once
// How a strategy comes to one output: which block and which thread, and what they load for it. Each strategy says it of
// itself (Strategy::explain), in the file of its kernel and with the numbers that its launch uses; the tests hold it
// against what the kernel is seen to do. What is declared here is plain arithmetic: any thread, no errors.
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace convoscope {

// Which output of a problem: its place in a plane of what comes out (see plane_of), and of a layer which plane: that of
// channel m of sample n, in the order of Y[n, m, y, x]. A volume's output is one plane, the frame in the middle.
struct OutputIndex {
  int x = 0, y = 0;
  int channel = 0, sample = 0;
};

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
std::vector<int> run_of_planes(int first, int count);  // their numbers

// What one kernel does for the output. blockIdx, threadIdx and blockDim in CUDA's order.
struct KernelStep {
  std::string kernel;
  std::array<int, 3> block{}, thread{}, block_size{1, 1, 1};
  std::vector<PixelArea> outputs;         // of the block; the part beyond the image is not written
  std::vector<PixelArea> thread_outputs;  // of the thread, the explained one among them
  std::vector<PixelArea> tile;            // what the block brings into shared memory, halo included
  bool tile_in_turns = false;             // some rows of the tile at a time, the next in place of the first
  std::vector<PixelArea> direct;          // what its threads read from global memory where they need it
  bool of_input = true;                   // false: tile and direct lie in what the step before has left
  // Where these areas lie, alike in each plane: outputs, the thread's own, and tile and direct in the planes of all
  // inputs, counted through: a volume's frames, a layer's samples and channels.
  std::vector<int> output_planes{0}, thread_planes{0}, input_planes{0};
  int blocks_along_y = 1;          // from `block` on, that share in the output; tile and direct are of them all
  bool block_per_channel = false;  // blockIdx.z is the channel; `block` makes red, those after it the others
  std::string words;               // how the threads share the work, in a sentence or two
};

// A product of matrices, C = A · B, of which the output is an element: a row of A and a column of B meet in it.
struct MatrixProduct {
  int rows = 0, depth = 0, columns = 0;  // of C, what is summed over, of C
  int row = 0, column = 0;               // that meet
  PixelArea tile;                        // of C, that is made at once; x counts columns. It may reach beyond C
};

struct Explanation {
  // In the order of the launches; the last writes the output, or a library does. Empty: only words.
  std::vector<KernelStep> steps;
  std::string words;        // how the numbers differ from weights times inputs, or how it is done without blocks
  int launches_before = 0;  // of the same run, for other samples or maps
  std::optional<MatrixProduct> product = {};
  std::optional<PixelArea> strip = {};  // of the outputs, that one of the cores' threads makes in one go
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
