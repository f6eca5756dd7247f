// WebP by libwebp: still pictures piece by piece, animations frame by frame.
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <optional>

#include "app/media/stills/exif.h"
#include "app/media/stills/still.h"
#include "app/media/stills/webp_canvas.h"
#include "app/media/stills/webp_frames.h"
#include "app/media/stills/webp_pieces.h"

namespace convoscope {
namespace {

constexpr int unsaid_duration = 100;  // milliseconds, as browsers show a frame of 10 or less

struct WebpDeleter {
  void operator()(WebPDemuxer* p) const { WebPDemuxDelete(p); }
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
    if (demuxer) look_into(*demuxer);
    if (!features.has_animation) return;
    frames_ = find_webp_frames(input.bytes, info_.width, info_.height);
    if (frames_.empty()) refuse_damaged();
    for (const WebpFrame& each : frames_)
      info_.durations.push_back(each.milliseconds > 10 ? each.milliseconds : unsaid_duration);
  }

  bool read(AVFrame& frame) override {
    if (!frames_.empty()) return read_next(frame);
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
    const WebpPieces read = decode_in_pieces(*decoder, input_.bytes, picture_end_, input_);
    if (input_.stopped()) return false;
    damaged_ |= read.status != VP8_STATUS_OK || read.leaves_some;
    if (read.status == VP8_STATUS_OK) return true;
    int rows = 0;
    return WebPIDecGetRGB(decoder.get(), &rows, nullptr, nullptr, nullptr) && rows > 0;
  }

 private:
  void look_into(const WebPDemuxer& demuxer) {
    if (WebPChunkIterator chunk; WebPDemuxGetChunk(&demuxer, "EXIF", 1, &chunk)) {
      info_.orientation = exif_orientation({chunk.chunk.bytes, chunk.chunk.size});
      WebPDemuxReleaseChunkIterator(&chunk);
    }
    if (WebPIterator first; WebPDemuxGetFrame(&demuxer, 1, &first)) {
      if (first.complete)
        picture_end_ = static_cast<std::size_t>(first.fragment.bytes - data_.bytes) + first.fragment.size;
      WebPDemuxReleaseIterator(&first);
    }
  }

  bool read_next(AVFrame& frame) {
    if (input_.stopped() || next_ >= frames_.size()) return false;
    if (!canvas_) canvas_.emplace(info_.width, info_.height, input_);
    const WebpCanvas::Drawn drawn = canvas_->draw(frames_[next_++]);
    if (drawn != WebpCanvas::Drawn::whole) damaged_ = true;
    if (drawn == WebpCanvas::Drawn::not_at_all) return false;
    make_picture(frame);
    for (int y = 0; y < frame.height; ++y)
      std::ranges::copy(canvas_->row(y), frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0]);
    return true;
  }

  const WebPData data_;
  std::size_t picture_end_ = data_.size;  // of a still: what lies behind it is not of the picture
  std::vector<WebpFrame> frames_;         // of an animation
  std::optional<WebpCanvas> canvas_;
  std::size_t next_ = 0;
  bool given_ = false;
};

}  // namespace

std::unique_ptr<Still> open_webp(const StillInput& input) { return std::make_unique<WebpStill>(input); }

}  // namespace convoscope
