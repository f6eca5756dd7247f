#pragma once
// Packets to frames: NVDEC where it can, else all cores.
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/ffmpeg/interrupt.h"
#include "app/media/ffmpeg/lost_pictures.h"
#include "app/media/play/host_pool.h"
#include "app/media/stills/still_decoder.h"

namespace convoscope {

constexpr int largest_side = 16384;  // pixels

class Decoder : private HearsErrors {
 public:
  struct Options {
    bool nvdec = false;
    int device = 0;
    int frames_in_flight = 8;  // NVDEC's surfaces are a fixed number: what is held outside comes on top of its own
    HostPool* pool = nullptr;  // decode into its memory; null: FFmpeg's own
    bool low_delay = false;    // a camera: do not hold frames back to use more cores
    bool checks_av1 = false;   // AV1 by libaom, where FFmpeg has it: it is slower, and misses no damage
    std::int64_t max_pixels = INT64_MAX;   // of a picture
    std::string without_nvdec;             // why this stream is not to use NVDEC, for name()
    const Interrupt* interrupt = nullptr;  // still pictures are given up where it asks to stop; may be null
  };
  // Throws Error: no decoder, absurd size. `name`: of the source, for sentences. The stream outlives the decoder.
  Decoder(const AVStream&, const std::string& name, const Options&);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // As avcodec_send_packet and avcodec_receive_frame; a received NVDEC frame is complete. Pictures may come after one
  // that could not be decoded, at the end too, until AVERROR_EOF. They throw Error for a picture that is larger than
  // allowed, before it takes memory, and where there is not enough.
  int send(const AVPacket*);
  int receive(AVFrame&);
  void flush();
  // Whether, with the picture that receive() gave last, or at the end, it is known that something before it could not
  // be decoded, or that it is damaged itself; asked once. What send() and receive() return is told here too, in the
  // order of the pictures.
  bool take_damage() { return still_ ? still_->take_damage() : std::exchange(lacks_, false); }

  bool nvdec() const { return device_ != nullptr; }
  // NVDEC was asked for and cannot decode this: open another Decoder without it.
  bool nvdec_refused() const { return refused_; }
  std::string name() const;  // "NVDEC", "software, 8 threads"

 private:
  void hear_error(std::int64_t packet) override { lost_.hear_error(packet); }
  static Decoder& of(const AVCodecContext&);
  static AVPixelFormat choose_format(AVCodecContext*, const AVPixelFormat*);
  static int give_buffer(AVCodecContext*, AVFrame*, int flags);
  LostPictures lost_;  // before the context, whose threads tell it of errors until they end
  Owned<AVBufferRef> device_;
  Owned<AVCodecContext> context_;
  std::unique_ptr<StillDecoder> still_;  // in place of context_
  void check_buffers() const;
  bool begins_other_size(const AVPacket&);
  int send_on(const AVPacket*);
  int go_on_with_held();
  bool decodes_ahead() const;
  const std::string source_;
  const std::int64_t max_pixels_;
  std::optional<std::uint32_t> sequence_size_;  // as the last header of a sequence of MPEG-1 or MPEG-2 says it
  Owned<AVPacket> held_;                        // not sent before all pictures of the last size are out
  bool lacks_ = false, draining_ = false;
  int errors_at_end_ = 0;
  HostPool* pool_ = nullptr;
  std::atomic<bool> refused_{false};
  std::atomic<std::int64_t> too_large_{0};  // width << 32 | height of the picture that was refused
  std::atomic<bool> out_of_memory_{false};  // which decoders may report as damage
  std::string why_software_;
};

// Whether the decoder has made up some of the picture, as what it is made of was damaged or is missing.
bool is_damaged(const AVFrame&);

// Throws Error when a picture of this size is refused.
void check_picture_size(const std::string& name, int width, int height, std::int64_t max_pixels = INT64_MAX);

}  // namespace convoscope
