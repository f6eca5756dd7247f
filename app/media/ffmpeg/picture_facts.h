#pragma once
// What pictures say of themselves beyond their samples: how they are seen upright, how deep they are, how bright.
#include <cstdint>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/state/sample_depth.h"
#include "kernels/convert/orientation.h"

namespace convoscope {

struct PictureFacts {
  Orientation orientation;
  SampleDepth depth;
  bool operator==(const PictureFacts&) const = default;
};

// As the container and the codec declare it; of a decoded picture what it says itself comes before that.
PictureFacts facts_of(const AVStream&);
PictureFacts facts_of(const AVFrame&, const AVStream&);

// Of FFmpeg's display matrix, nine numbers: of the eight orientations the one that is nearest. One that puts all of a
// picture onto a line or a point is upright.
Orientation orientation_of(const std::int32_t* matrix);

}  // namespace convoscope
