#pragma once
// The picture that a pane has made last: which frame it is of, and what has made it.
#include <optional>
#include <utility>

#include "app/panes/frame_id.h"
#include "app/state/frames_seen.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/data/filter.h"
#include "kernels/convert/wall.h"

namespace convoscope {

struct MadePicture {
  DeviceImage picture;
  DeviceImage input;     // that it is made from
  FrameId frame;         // which that is
  FramesSeen frames;     // where several went in
  unsigned version = 0;  // PaneRunner::version() then; 0: there is none yet
  Filter filter;         // the settings may be back at it before another picture is made
  Border border = Border::replicate;
  std::optional<Wall> wall;

  // True: of another input than the picture before.
  bool made_from(const DeviceImage& in, const FrameId& its_frame) {
    const bool another = input.image().data != in.image().data;
    input = in;
    frame = its_frame;
    return another;
  }
  void made_with(unsigned its_version, const Filter& its_filter, Border its_border) {
    if (std::exchange(version, its_version) == its_version) return;
    filter = its_filter;
    border = its_border;
  }
};

}  // namespace convoscope
