#pragma once
// FFmpeg's C interface with owners. Included by app/media only.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace convoscope {

struct FFmpegDeleter {
  void operator()(AVFrame* p) const { av_frame_free(&p); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
  void operator()(AVFormatContext* p) const { avformat_close_input(&p); }
  void operator()(AVIOContext* p) const { avio_closep(&p); }
  void operator()(SwsContext* p) const { sws_freeContext(p); }
  void operator()(AVBufferRef* p) const { av_buffer_unref(&p); }
  void operator()(AVBufferPool* p) const { av_buffer_pool_uninit(&p); }
  void operator()(AVDictionary* p) const { av_dict_free(&p); }
};
template <class T>
using Owned = std::unique_ptr<T, FFmpegDeleter>;

// What a file says of itself may be none of the enumeration's values: C stores it all the same, C++ may not read it as
// one.
template <class Enumeration>
int number_of(const Enumeration& value) {
  int number = 0;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

inline Owned<AVFrame> make_frame() {
  AVFrame* frame = av_frame_alloc();
  if (!frame) throw std::bad_alloc();
  return Owned<AVFrame>(frame);
}
inline Owned<AVPacket> make_packet() {
  AVPacket* packet = av_packet_alloc();
  if (!packet) throw std::bad_alloc();
  return Owned<AVPacket>(packet);
}

// FFmpeg's own threads hand memory to ours through atomics that ThreadSanitizer does not see: for it there are none.
inline int ffmpeg_threads([[maybe_unused]] int most) {
#ifdef __SANITIZE_THREAD__
  return 1;
#else
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most);
#endif
}

// Memory with its owner as FFmpeg's reference-counted buffer; throws when there is no memory for that.
inline AVBufferRef* make_buffer(std::shared_ptr<void> memory, std::size_t bytes) {
  auto owner = std::make_unique<std::shared_ptr<void>>(std::move(memory));
  const auto let_go = [](void* opaque, std::uint8_t*) { delete static_cast<std::shared_ptr<void>*>(opaque); };
  AVBufferRef* buffer = av_buffer_create(static_cast<std::uint8_t*>(owner->get()), bytes, let_go, owner.get(), 0);
  if (!buffer) throw std::bad_alloc();
  owner.release();
  return buffer;
}

}  // namespace convoscope
