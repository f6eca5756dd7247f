// Which of a camera's modes comes nearest to what is asked for.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/media/read/camera.h"

namespace convoscope {

std::optional<CameraMode> choose_mode(const std::vector<CameraMode>& modes, const SourceSettings& asked) {
  const bool sized = asked.width > 0 && asked.height > 0;
  if (modes.empty() || (!sized && asked.rate <= 0 && asked.camera_format.empty())) return {};
  const CameraMode& usual = modes.front();  // drivers list what they prefer first
  const int width = sized ? asked.width : usual.width, height = sized ? asked.height : usual.height;
  const auto distance = [&](const CameraMode& mode) {
    const int size = std::abs(mode.width - width) + std::abs(mode.height - height);
    const bool other_format = !asked.camera_format.empty() && mode.format != asked.camera_format;
    const bool compressed = mode.format == "mjpeg" || mode.format == "h264" || mode.format == "hevc";
    constexpr double fluent = 30;
    const double rate = asked.rate > 0 ? std::abs(mode.rate - asked.rate) : std::max(fluent - mode.rate, 0.0);
    // Between equals the slower one: 60 frames a second are not asked for by asking for nothing.
    return std::tuple(size, other_format, rate, compressed, mode.rate);
  };
  return *std::ranges::min_element(modes, {}, distance);
}

}  // namespace convoscope
