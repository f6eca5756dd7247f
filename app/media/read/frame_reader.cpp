#include "app/media/read/frame_reader.h"

#include <algorithm>
#include <cmath>

#include "app/media/ffmpeg/decoder.h"
#include "app/media/ffmpeg/demuxer.h"
#include "app/media/pattern/pattern.h"
#include "app/media/read/camera.h"
#include "kernels/contract/error.h"

namespace convoscope {

void check_source(const SourceSettings& source) {
  if (source.input.empty()) throw Error("No input is given. Name a file, an address, camera, screen or pattern.");
  const auto in_range = [](int side) { return side >= 0 && side <= largest_side; };
  if (!in_range(source.width) || !in_range(source.height) || (source.width > 0) != (source.height > 0))
    throw Error("A size of " + std::to_string(source.width) + " × " + std::to_string(source.height) +
                " is not possible; both sides are from 1 to " + std::to_string(largest_side) + ".");
  if (!std::isfinite(source.rate) || source.rate < 0 || source.rate > 1000)
    throw Error("A rate of " + std::to_string(source.rate) + " frames a second is not possible; the most is 1000.");
  switch (kind_of(source.input)) {
    case SourceKind::camera:
      if (!source.input.starts_with("/dev/")) camera_number(source.input);
      break;
    case SourceKind::pattern: {
      const std::string name = source.input == "pattern" ? "all" : source.input.substr(sizeof "pattern:" - 1);
      if (const auto& names = Pattern::names(); std::find(names.begin(), names.end(), name) == names.end())
        Pattern(name, 1, 1, 1);  // throws the sentence
      if (source.width > 0) check_picture_size(source.input, source.width, source.height);
      break;
    }
    default:
      break;
  }
}

bool worth_retrying(const SourceSettings& source) {
  const SourceKind kind = kind_of(source.input);
  return kind == SourceKind::address || kind == SourceKind::camera || kind == SourceKind::screen;
}

std::unique_ptr<FrameReader> open_reader(const ReaderOptions& options, Interrupt& interrupt) {
  return kind_of(options.source.input) == SourceKind::pattern ? open_pattern_reader(options)
                                                              : open_file_reader(options, interrupt);
}

std::vector<std::string> list_patterns() { return Pattern::names(); }

}  // namespace convoscope
