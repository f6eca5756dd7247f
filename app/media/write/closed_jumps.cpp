#include "app/media/write/closed_jumps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace convoscope {
namespace {

constexpr std::int64_t most_units = INT32_MAX - 1;
constexpr double a_moment = 0.25;  // seconds that damaged times may go back

}  // namespace

void ClosedJumps::find_tracks(const AVFormatContext& file) {
  for (unsigned i = 0; i < file.nb_streams; ++i) tracks_[static_cast<int>(i)].unit = file.streams[i]->time_base;
}

void ClosedJumps::begin(const AVFormatContext& output) {
  find_tracks(output);
  limit_ = std::numeric_limits<double>::infinity();
  for (const auto& [index, track] : tracks_)
    limit_ = std::min(limit_, static_cast<double>(most_units) * av_q2d(track.unit));
  most_back_ = limit_;
}

void ClosedJumps::begin_ascending(const AVFormatContext& input) {
  find_tracks(input);
  limit_ = std::numeric_limits<double>::infinity();
  most_back_ = a_moment;
  least_ = -a_moment;
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
    if (distance(before) > limit_ || distance(before) < -most_back_) {
      const bool as_others = distance(back_) > least_ && distance(back_) <= limit_;
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
