// WebP by libwebp: still pictures piece by piece, animations frame by frame.
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <climits>

#include "app/media/stills/exif.h"
#include "app/media/stills/still.h"

namespace convoscope {
namespace {

constexpr int unsaid_duration = 100;  // milliseconds, as browsers show a frame of 10 or less

struct WebpDeleter {
  void operator()(WebPDemuxer* p) const { WebPDemuxDelete(p); }
  void operator()(WebPAnimDecoder* p) const { WebPAnimDecoderDelete(p); }
  void operator()(WebPIDecoder* p) const { WebPIDelete(p); }
};

class WebpStill final : public Still {
 public:
  explicit WebpStill(const StillInput& input) : Still(input), data_{input.bytes.data(), input.bytes.size()} {
    kind_ = StillKind::webp;
    info_.codec = AV_CODEC_ID_WEBP;
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(data_.bytes, data_.size, &features) != VP8_STATUS_OK) refuse_damaged();
    set_size(features.width, features.height);
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    const std::unique_ptr<WebPDemuxer, WebpDeleter> demuxer(WebPDemuxPartial(&data_, &state));
    if (demuxer) look_into(*demuxer, features.has_animation != 0);
    if (!features.has_animation) return;
    if (info_.durations.empty()) refuse_damaged();
    WebPAnimDecoderOptions options;
    if (!WebPAnimDecoderOptionsInit(&options)) throw std::bad_alloc();
    options.color_mode = MODE_RGBA;
    animation_.reset(WebPAnimDecoderNew(&data_, &options));
    if (!animation_) refuse_damaged();
  }

  bool read(AVFrame& frame) override {
    if (animation_) return read_next(frame);
    if (std::exchange(given_, true)) return false;
    make_picture(frame);
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) throw std::bad_alloc();
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = {frame.data[0], frame.linesize[0],
                            static_cast<std::size_t>(frame.linesize[0]) * static_cast<std::size_t>(frame.height)};
    const std::unique_ptr<WebPIDecoder, WebpDeleter> decoder(WebPIDecode(nullptr, 0, &config));
    if (!decoder) throw std::bad_alloc();
    constexpr std::size_t piece = 256 << 10;
    VP8StatusCode status = VP8_STATUS_SUSPENDED;
    for (std::size_t there = 0; there < data_.size && status == VP8_STATUS_SUSPENDED;) {
      if (input_.stopped()) return false;
      there = std::min(data_.size, there + piece);
      status = WebPIUpdate(decoder.get(), data_.bytes, there);
    }
    if (status == VP8_STATUS_OK) return true;
    if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
    damaged_ = true;
    int rows = 0;
    return WebPIDecGetRGB(decoder.get(), &rows, nullptr, nullptr, nullptr) && rows > 0;
  }

 private:
  void look_into(const WebPDemuxer& demuxer, bool animated) {
    if (WebPChunkIterator chunk; WebPDemuxGetChunk(&demuxer, "EXIF", 1, &chunk)) {
      info_.orientation = exif_orientation({chunk.chunk.bytes, chunk.chunk.size});
      WebPDemuxReleaseChunkIterator(&chunk);
    }
    if (WebPIterator frame; animated && WebPDemuxGetFrame(&demuxer, 1, &frame)) {
      do info_.durations.push_back(frame.duration > 10 ? frame.duration : unsaid_duration);
      while (WebPDemuxNextFrame(&frame));
      WebPDemuxReleaseIterator(&frame);
    }
  }

  bool read_next(AVFrame& frame) {
    std::uint8_t* canvas = nullptr;
    int end = 0;
    if (input_.stopped() || !WebPAnimDecoderHasMoreFrames(animation_.get())) return false;
    if (!WebPAnimDecoderGetNext(animation_.get(), &canvas, &end)) {
      damaged_ = true;
      return false;
    }
    make_picture(frame);
    const std::size_t bytes = static_cast<std::size_t>(frame.width) * 4;
    for (int y = 0; y < frame.height; ++y)
      std::memcpy(frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0],
                  canvas + static_cast<std::size_t>(y) * bytes, bytes);
    return true;
  }

  const WebPData data_;
  std::unique_ptr<WebPAnimDecoder, WebpDeleter> animation_;
  bool given_ = false;
};

}  // namespace

std::unique_ptr<Still> open_webp(const StillInput& input) { return std::make_unique<WebpStill>(input); }

}  // namespace convoscope
