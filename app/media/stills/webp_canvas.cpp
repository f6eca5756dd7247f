#include "app/media/stills/webp_canvas.h"

#include <webp/decode.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "app/media/stills/webp_pieces.h"

namespace convoscope {
namespace {

constexpr std::size_t rgba_bytes = 4;

struct PieceDecoderDeleter {
  void operator()(WebPIDecoder* p) const { WebPIDelete(p); }
};

// As libwebp's own animations do it, so that the result is that of other programs.
void blend(const std::uint8_t* over, std::uint8_t* under) {
  const unsigned alpha = over[3], rest = under[3] * (256 - alpha) >> 8, sum = alpha + rest;
  const unsigned scale = (1u << 24) / sum;
  for (int i = 0; i < 3; ++i)
    under[i] = static_cast<std::uint8_t>((std::uint64_t{over[i] * alpha + under[i] * rest} * scale) >> 24);
  under[3] = static_cast<std::uint8_t>(sum);
}

}  // namespace

WebpCanvas::WebpCanvas(int width, int height, const StillInput& input)
    : input_(input),
      width_(width),
      canvas_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * rgba_bytes) {}

std::span<const std::uint8_t> WebpCanvas::row(int y) const {
  const std::size_t bytes = static_cast<std::size_t>(width_) * rgba_bytes;
  return std::span(canvas_).subspan(static_cast<std::size_t>(y) * bytes, bytes);
}

WebpCanvas::Drawn WebpCanvas::draw(const WebpFrame& frame) {
  const Drawn decoded = decode(frame);
  if (decoded == Drawn::not_at_all) return decoded;
  if (last_.clears) clear(last_);
  place(frame);
  last_ = frame;
  return decoded;
}

WebpCanvas::Drawn WebpCanvas::decode(const WebpFrame& frame) {
  const std::span<const std::uint8_t> bytes = frame.picture;
  WebPBitstreamFeatures features;
  if (bytes.empty() || WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK)
    return Drawn::not_at_all;
  if (features.width != frame.width || features.height != frame.height) return Drawn::not_at_all;
  const std::size_t row_bytes = static_cast<std::size_t>(frame.width) * rgba_bytes;
  picture_.resize(row_bytes * static_cast<std::size_t>(frame.height));
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) throw std::bad_alloc();
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {picture_.data(), static_cast<int>(row_bytes), picture_.size()};
  const std::unique_ptr<WebPIDecoder, PieceDecoderDeleter> decoder(WebPIDecode(nullptr, 0, &config));
  if (!decoder) throw std::bad_alloc();
  const WebpPieces read = decode_in_pieces(*decoder, bytes, bytes.size(), input_);
  if (read.status != VP8_STATUS_OK) return Drawn::not_at_all;
  return read.leaves_some ? Drawn::damaged : Drawn::whole;
}

void WebpCanvas::place(const WebpFrame& frame) {
  const std::size_t row_bytes = static_cast<std::size_t>(frame.width) * rgba_bytes;
  for (int y = 0; y < frame.height; ++y) {
    const std::uint8_t* from = picture_.data() + static_cast<std::size_t>(y) * row_bytes;
    std::uint8_t* to =
        canvas_.data() + rgba_bytes * (static_cast<std::size_t>(frame.y + y) * static_cast<std::size_t>(width_) +
                                       static_cast<std::size_t>(frame.x));
    if (!frame.blends) {
      std::memcpy(to, from, row_bytes);
      continue;
    }
    for (int x = 0; x < frame.width; ++x, from += rgba_bytes, to += rgba_bytes) {
      if (from[3] == 255 || to[3] == 0)
        std::memcpy(to, from, rgba_bytes);
      else if (from[3] > 0)
        blend(from, to);
    }
  }
}

void WebpCanvas::clear(const WebpFrame& frame) {
  for (int y = 0; y < frame.height; ++y)
    std::memset(
        canvas_.data() + rgba_bytes * (static_cast<std::size_t>(frame.y + y) * static_cast<std::size_t>(width_) +
                                       static_cast<std::size_t>(frame.x)),
        0, static_cast<std::size_t>(frame.width) * rgba_bytes);
}

}  // namespace convoscope
