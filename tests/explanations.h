#pragma once
// Holds what a strategy says of its blocks, threads and tiles (Strategy::explain) against what its kernels were seen to
// do: who wrote each output, and what each block read.
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/contract/strategy.h"

namespace convoscope {

using Triple = std::array<int, 3>;

std::vector<Triple> grids_of(const Plan&);  // of its launches

// A set of places in planes of inputs, a flag each: sets of coordinates cost most of the time of these tests.
class Places {
 public:
  void insert(int plane, int x, int y, int count = 1);  // so many beside one another
  void insert(const Places&);
  std::size_t size() const;
  // No plane or row is longer than its last place needs, so equal sets have equal flags.
  bool operator==(const Places&) const = default;

 private:
  using Row = std::vector<unsigned char>;
  std::vector<std::vector<Row>> planes_;
};

struct Doer {
  Triple block{}, thread{};
  bool operator==(const Doer&) const = default;
};

// Memory whose elements are watched: what has changed between two looks was written by the thread that ran.
class Watched {
 public:
  Watched() = default;
  Watched(const void* memory, std::size_t bytes, std::size_t element);
  void look(const Doer&);
  std::size_t element() const { return element_; }  // bytes
  // The last who changed it; nobody, when it is as it was.
  const std::optional<Doer>& writer(std::size_t element) const { return writers_.at(element); }

 private:
  const std::byte* memory_ = nullptr;
  std::vector<std::byte> seen_;
  std::size_t element_ = 1;
  std::vector<std::optional<Doer>> writers_;
};

struct Seen {
  int launches = 0;
  Watched output;                    // by bytes, so that blocks which share pixels are told apart, or by floats
  std::size_t pitch = 0;             // of the output, in bytes
  Watched intermediate;              // by pixels: what the first of two launches leaves to the second
  std::size_t intermediate_row = 0;  // its pixels from row to row
  std::map<std::pair<int, Triple>, Places> reads;  // by launch, from 0 on, and block
};

// Notes that `block` has read bytes from an address on, if it lies in the image, which is that plane of the inputs.
void note_read_of(Seen&, const Image&, const Triple& block, const void* from, std::size_t bytes, int plane = 0);

// Expects every output of the problem to be explained as it was seen; `also` gets each explanation too.
using SaidOfOutput = std::function<void(const OutputIndex&, const Explanation&)>;
void hold_against(const Strategy&, const Problem&, const Device&, const Tuning&, const Seen&,
                  const SaidOfOutput& also = {});

}  // namespace convoscope
