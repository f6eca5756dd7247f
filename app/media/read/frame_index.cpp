#include "app/media/read/frame_index.h"

#include <algorithm>

#include "app/files/log.h"
#include "app/media/ffmpeg/demuxer.h"

namespace convoscope {

FrameIndex::FrameIndex(const SourceSettings& source) : thread_([this, source] { read(source); }) {}

FrameIndex::~FrameIndex() { interrupt_.stop = true; }

void FrameIndex::read(const SourceSettings& source) {
  try {
    Demuxer demuxer(source, interrupt_);
    // In these each picture is drawn over the one before, whatever their packets say.
    const AVCodecID codec = demuxer.stream().codecpar->codec_id;
    const bool only_first = codec == AV_CODEC_ID_GIF || codec == AV_CODEC_ID_APNG;
    const Owned<AVPacket> packet = make_packet();
    while (demuxer.read(*packet) == 0) {
      ++packets_;
      if (packet->pts == AV_NOPTS_VALUE) timed_ = false;
      if (packet->flags & AV_PKT_FLAG_KEY && (!only_first || keys_.empty()))
        keys_.push_back({packet->pts, packet->dts == AV_NOPTS_VALUE ? packet->pts : packet->dts});
      if (!(packet->flags & AV_PKT_FLAG_DISCARD)) times_.push_back(packet->pts);
      av_packet_unref(packet.get());
    }
  } catch (const std::exception& error) {  // the player's own demuxer has told the user
    log::debug(std::string("index: ") + error.what());
    timed_ = false;
  }
  if (timed_) {
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.time < b.time; });
  }
  ready_.store(true, std::memory_order_release);
}

bool FrameIndex::wait(const Interrupt& interrupt, std::int64_t milliseconds) const {
  for (const std::int64_t end = Interrupt::now() + milliseconds;
       !ready() && Interrupt::now() < end && !interrupt.abandon_seek();)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return ready();
}

std::int64_t FrameIndex::number(std::int64_t time) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), time);
  return std::max<std::int64_t>(0, after - times_.begin() - 1);
}

std::optional<FrameIndex::Key> FrameIndex::key(std::int64_t time, int earlier) const {
  const auto after =
      std::upper_bound(keys_.begin(), keys_.end(), time, [](std::int64_t t, const Key& key) { return t < key.time; });
  if (after - keys_.begin() <= earlier) return {};
  return *(after - 1 - earlier);
}

}  // namespace convoscope
