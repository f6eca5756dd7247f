#include "app/media/stills/still_decoder.h"

#include <utility>

namespace convoscope {

int StillDecoder::send(const AVPacket* packet) {
  if (!packet) {
    draining_ = true;
    return 0;
  }
  if (waiting_) return AVERROR(EAGAIN);
  waiting_.reset(av_packet_clone(packet));
  if (!waiting_) throw std::bad_alloc();
  return 0;
}

int StillDecoder::receive(AVFrame& frame) {
  if (!waiting_) return draining_ ? AVERROR_EOF : AVERROR(EAGAIN);
  if (const int status = decode(); status < 0) return status;
  av_frame_unref(&frame);
  av_frame_move_ref(&frame, frame_.get());
  return 0;
}

int StillDecoder::decode() {
  const Owned<AVPacket> packet = std::move(waiting_);
  frame_ = make_frame();
  if (packet->flags & AV_PKT_FLAG_KEY) {
    still_.reset();
    whole_.reset(av_packet_clone(packet.get()));
    if (!whole_) throw std::bad_alloc();
    const std::span<const std::uint8_t> bytes(whole_->data, static_cast<std::size_t>(std::max(whole_->size, 0)));
    try {
      still_ = open_still({name_, bytes, max_pixels_, interrupt_});
    } catch (const StillDamaged&) {
      damaged_ = true;
      return AVERROR_INVALIDDATA;
    }
  }
  const bool any = still_ && still_->read(*frame_);
  if (interrupt_ && interrupt_->stop) return AVERROR(EAGAIN);
  if (!any) {
    damaged_ = true;
    return AVERROR_INVALIDDATA;
  }
  if (still_->damaged()) damaged_ = true;
  frame_->pts = frame_->best_effort_timestamp = packet->pts;
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  frame_->duration = packet->duration;
#else
  frame_->pkt_duration = packet->duration;
#endif
  return 0;
}

void StillDecoder::flush() {
  waiting_.reset();
  draining_ = false;
}

}  // namespace convoscope
