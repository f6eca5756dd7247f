#include "app/media/ffmpeg/lost_pictures.h"

#include <algorithm>
#include <utility>

namespace convoscope {
namespace {

constexpr std::int64_t furthest_reordered = 32;  // packets; H.264 and HEVC hold 16 pictures back
constexpr std::size_t most_waiting = 1000;       // of codecs whose packets need not be pictures

// Which say nothing at all where a packet holds no picture; and none of theirs is meant to hold none.
bool each_packet_is_a_picture(AVCodecID codec) {
  return codec == AV_CODEC_ID_MPEG1VIDEO || codec == AV_CODEC_ID_MPEG2VIDEO || codec == AV_CODEC_ID_DIRAC ||
         codec == AV_CODEC_ID_MAGICYUV || codec == AV_CODEC_ID_AV1;
}

}  // namespace

#if LIBAVCODEC_VERSION_MAJOR < 61
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::int64_t packet_number(const AVCodecContext& context) { return context.reordered_opaque; }
std::int64_t packet_number(const AVFrame& frame) { return std::max<std::int64_t>(0, frame.reordered_opaque); }
void set_packet_number(AVCodecContext& context, std::int64_t number) { context.reordered_opaque = number; }
#pragma GCC diagnostic pop
#else
std::int64_t packet_number(const AVCodecContext&) { return 0; }
std::int64_t packet_number(const AVFrame&) { return 0; }
void set_packet_number(AVCodecContext&, std::int64_t) {}
#endif

void LostPictures::begin(AVCodecID codec) {
  const AVCodecDescriptor* const kind = avcodec_descriptor_get(codec);
  constexpr int lossless = AV_CODEC_PROP_LOSSLESS, either = AV_CODEC_PROP_LOSSLESS | AV_CODEC_PROP_LOSSY;
  stands_alone_ = kind && (kind->props & AV_CODEC_PROP_INTRA_ONLY || (kind->props & either) == lossless);
  each_is_picture_ = each_packet_is_a_picture(codec);
}

// Not what a recording of a broadcast begins with, which refers to pictures from before it; nor what an edit list has
// decoded for the sake of others alone.
bool LostPictures::is_expected(const AVPacket& packet) {
  if (packet.dts != AV_NOPTS_VALUE) {
    // FFmpeg guesses these times for Matroska, which has none, and some lie before those ahead of them; but not before
    // all that may still be reordered.
    if (!decoded_at_.empty() && packet.dts <= decoded_at_.front()) {
      ++part_sent_;
      key_.reset();
      decoded_at_.clear();
    }
    decoded_at_.push_back(packet.dts);
    if (static_cast<std::int64_t>(decoded_at_.size()) > furthest_reordered) decoded_at_.pop_front();
  }
  if (!key_ && packet.flags & AV_PKT_FLAG_KEY) key_ = packet.pts;
  if (packet.size <= 0 || packet.flags & AV_PKT_FLAG_DISCARD) return false;
  return stands_alone_ || (key_ && packet.pts >= *key_) || (key_ && packet.pts == AV_NOPTS_VALUE);
}

std::int64_t LostPictures::sent(const AVPacket& packet) {
  ++last_;
  if (is_expected(packet)) waiting_.push_back({last_, packet.pts, part_sent_});
  drop_old();
  return last_;
}

void LostPictures::hear_error(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  if (number > 0)
    wrong_.insert(number);
  else
    heard_ = true;
}

void LostPictures::failed(bool under_way) {
  if (under_way)
    failed_ |= stands_alone_ || key_;
  else
    hear_error(last_);
}

// Which has not come and will not.
bool LostPictures::is_lost(const Sent& one) {
  const std::lock_guard lock(mutex_);
  return wrong_.erase(one.number) > 0 || failed_ || (each_is_picture_ && began_ && one.time > *began_);
}

void LostPictures::drop_old() {
  while (waiting_.size() > most_waiting) {
    failed_ |= is_lost(waiting_.front());
    waiting_.pop_front();
  }
}

bool LostPictures::lacks(const AVFrame& frame) {
  const std::int64_t number = packet_number(frame);
  auto own = std::ranges::find(waiting_, number, &Sent::number);
  // One that is shown again has the number of the packet that it was made of.
  if (own == waiting_.end() && frame.pts != AV_NOPTS_VALUE) own = std::ranges::find(waiting_, frame.pts, &Sent::time);
  bool lacks = false;
  int part = part_come_;
  if (own != waiting_.end()) {
    part = own->part;
    const std::lock_guard lock(mutex_);
    lacks = wrong_.erase(own->number) > 0 && stands_alone_;
    waiting_.erase(own);
  }
  for (auto one = waiting_.begin(); one != waiting_.end();) {
    const bool timed = one->time != AV_NOPTS_VALUE && frame.pts != AV_NOPTS_VALUE;
    const bool overtaken =
        one->part < part ||
        (one->part == part && (timed ? one->time < frame.pts : one->number + furthest_reordered < number));
    if (overtaken && is_lost(*one)) {
      lacks = true;
      failed_ = false;
    }
    one = overtaken ? waiting_.erase(one) : std::next(one);
  }
  if (!began_ || part != std::exchange(part_come_, part)) began_ = frame.pts;
  const std::lock_guard lock(mutex_);
  const std::int64_t oldest = waiting_.empty() ? last_ - furthest_reordered : waiting_.front().number;
  wrong_.erase(wrong_.begin(), wrong_.lower_bound(oldest));  // of packets that were not expected
  return (std::exchange(heard_, false) && stands_alone_) || lacks;
}

bool LostPictures::lacks_at_end() {
  bool lacks = std::exchange(failed_, false);
  for (const Sent& one : waiting_) lacks |= is_lost(one);
  waiting_.clear();
  const std::lock_guard lock(mutex_);
  wrong_.clear();
  return (std::exchange(heard_, false) && stands_alone_) || lacks;
}

void LostPictures::forget() {
  waiting_.clear();
  decoded_at_.clear();
  key_.reset();
  began_.reset();
  failed_ = false;
  const std::lock_guard lock(mutex_);
  wrong_.clear();
  heard_ = false;
}

}  // namespace convoscope
