#pragma once
// How deep and how bright a source's pictures are, and what is left of that where they are filtered in 8 bits.
#include <string>

namespace convoscope {

enum class DynamicRange { standard, pq, hlg };

struct SampleDepth {
  int bits = 0;  // of a sample; 0: unknown
  bool is_float = false;
  DynamicRange range = DynamicRange::standard;
  bool operator==(const SampleDepth&) const = default;
};

inline constexpr int bits_kept = 8;

const char* range_name(DynamicRange);  // "SDR", "PQ", "HLG"
// "10 bits", "32-bit numbers"; empty where nothing is known.
std::string bits_text(const SampleDepth&);
// What becomes less, as a part of a sentence: "8 of 10 bits kept, PQ taken for SDR"; empty where all is kept.
std::string depth_loss(const SampleDepth&);

}  // namespace convoscope
