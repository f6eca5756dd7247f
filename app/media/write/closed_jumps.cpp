#include "app/media/write/closed_jumps.h"

#include <algorithm>
#include <cmath>

namespace convoscope {
namespace {

constexpr std::int64_t most_units = INT32_MAX - 1;

}  // namespace

void ClosedJumps::begin(const AVFormatContext& output) {
  for (unsigned i = 0; i < output.nb_streams; ++i) {
    const AVRational unit = output.streams[i]->time_base;
    tracks_[static_cast<int>(i)].unit = unit;
    const double limit = static_cast<double>(most_units) * av_q2d(unit);
    limit_ = i == 0 ? limit : std::min(limit_, limit);
  }
}

void ClosedJumps::close(AVPacket& packet) {
  packet.duration = std::min(packet.duration, most_units);
  const auto found = tracks_.find(packet.stream_index);
  if (found == tracks_.end() || packet.dts == AV_NOPTS_VALUE) return;
  Track& track = found->second;
  const double unit = av_q2d(track.unit);
  if (track.last) {
    // In seconds: damaged times may be too far from each other for an integer.
    const auto distance = [&](double back) {
      return static_cast<double>(packet.dts) * unit - back - static_cast<double>(*track.last) * unit;
    };
    const double before = static_cast<double>(track.back) * unit;
    if (std::abs(distance(before)) > limit_) {
      const bool as_others = distance(back_) > 0 && distance(back_) <= limit_;
      if (!as_others) back_ = distance(0) - static_cast<double>(track.duration) * unit;
      track.back = std::llround(back_ / unit);
      longest_ = std::max(longest_, std::abs(back_ - before));
    }
  }
  packet.dts -= track.back;
  if (packet.pts != AV_NOPTS_VALUE) packet.pts -= track.back;
  track.last = packet.dts;
  track.duration = packet.duration;
}

}  // namespace convoscope
