#include "app/media/stills/webp_pieces.h"

#include <algorithm>
#include <new>

namespace convoscope {
namespace {

constexpr std::size_t at_once = 256 << 10;
// Writers end a picture with up to four bytes that nobody needs. Where more are left, its codes were damaged.
constexpr std::size_t unread_at_end = 5;

}  // namespace

WebpPieces decode_in_pieces(WebPIDecoder& decoder, std::span<const std::uint8_t> bytes, std::size_t picture_bytes,
                            const StillInput& input) {
  const std::size_t end = std::min(picture_bytes, bytes.size());
  const std::size_t needed = end - std::min(end / 2, unread_at_end);
  WebpPieces result;
  std::size_t there = 0;
  while (there < bytes.size() && result.status == VP8_STATUS_SUSPENDED) {
    if (input.stopped()) return {};
    there = there < needed ? std::min(needed, there + at_once) : bytes.size();
    result.status = WebPIUpdate(&decoder, bytes.data(), there);
  }
  if (result.status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  const auto tail = bytes.subspan(needed, end - needed);
  const bool padded = std::ranges::all_of(tail, [](std::uint8_t byte) { return byte == 0; });
  result.leaves_some = result.status == VP8_STATUS_OK && there <= needed && !padded;
  return result;
}

}  // namespace convoscope
