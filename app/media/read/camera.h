#pragma once
// Cameras through Video4Linux. Opening and reading them is the demuxer's work.
#include <optional>
#include <string>
#include <vector>

#include "app/state/settings.h"
#include "app/state/source_kind.h"

namespace convoscope {

struct Camera {
  std::string path, name;
  std::string problem;  // why it cannot be used, a sentence; empty when it can
  std::vector<CameraMode> modes;
};
std::vector<Camera> list_cameras();  // empty when there are none

// The mode nearest to the format, size and rate that are asked for, the size weighing most; empty when none is asked
// for or the camera lists none. Without a format, an uncompressed one where it is as fast as 30 frames a second need.
std::optional<CameraMode> choose_mode(const std::vector<CameraMode>&, const SourceSettings& asked);

// A sentence about an errno value; empty for one that says nothing of cameras.
std::string why_no_camera(const std::string& name, int error);

}  // namespace convoscope
