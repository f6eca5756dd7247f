#include "app/media/read/frame_reader.h"

#include <cmath>

#include "app/media/ffmpeg/decoder.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {

void check_source(const SourceSettings& source) {
  if (source.input.empty()) throw Error("No input is given. Name one of: " + input_forms(known_sources()) + ".");
  const auto in_range = [](int side) { return side >= 0 && side <= largest_side; };
  if (!in_range(source.width) || !in_range(source.height) || (source.width > 0) != (source.height > 0))
    throw Error("A size of " + std::to_string(source.width) + " × " + std::to_string(source.height) +
                " is not possible; both sides are from 1 to " + std::to_string(largest_side) + ".");
  if (!std::isfinite(source.rate) || source.rate < 0 || source.rate > 1000)
    throw Error("A rate of " + std::to_string(source.rate) + " frames a second is not possible; the most is 1000.");
  if (!source_for(source.input).kind.named) return;  // a path: opening it will tell, beside the window
  if (const std::string why = why_not_opened(source); !why.empty()) throw Error(why);
}

bool worth_retrying(const SourceSettings& source) { return source_for(source.input).comes_back; }

std::unique_ptr<FrameReader> open_reader(const ReaderOptions& options, Interrupt& interrupt) {
  return source_for(options.source.input).open(options, interrupt);
}

}  // namespace convoscope
