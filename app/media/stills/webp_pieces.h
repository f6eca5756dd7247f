#pragma once
// A picture of WebP piece by piece, and what that tells of damage: there are no checksums, but codes that were damaged
// mostly end too soon or too late.
#include <webp/decode.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "app/media/stills/still.h"

namespace convoscope {

struct WebpPieces {
  VP8StatusCode status = VP8_STATUS_SUSPENDED;  // likewise where it was asked to stop, or bytes are lacking
  bool leaves_some = false;                     // it was whole before its bytes were at an end
};
// `bytes`: from the beginning of what the decoder takes; the picture's own end after `picture_bytes` of them. Throws
// std::bad_alloc.
WebpPieces decode_in_pieces(WebPIDecoder&, std::span<const std::uint8_t> bytes, std::size_t picture_bytes,
                            const StillInput&);

}  // namespace convoscope
