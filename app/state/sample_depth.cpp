#include "app/state/sample_depth.h"

namespace convoscope {

const char* range_name(DynamicRange range) {
  return range == DynamicRange::pq ? "PQ" : range == DynamicRange::hlg ? "HLG" : "SDR";
}

std::string bits_text(const SampleDepth& depth) {
  if (depth.bits <= 0) return "";
  return depth.is_float ? std::to_string(depth.bits) + "-bit numbers"
                        : std::to_string(depth.bits) + (depth.bits == 1 ? " bit" : " bits");
}

std::string depth_loss(const SampleDepth& depth) {
  std::string text;
  if (depth.bits > bits_kept)
    text = depth.is_float ? std::to_string(bits_kept) + " bits kept of " + bits_text(depth)
                          : std::to_string(bits_kept) + " of " + bits_text(depth) + " kept";
  if (depth.range == DynamicRange::standard) return text;
  return text + (text.empty() ? "" : ", ") + range_name(depth.range) + " taken for SDR";
}

}  // namespace convoscope
