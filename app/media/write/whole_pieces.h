#pragma once
// What plays of an .mp4 or .mov in pieces whose writing has failed, on a full disk say.
#include <string>

namespace convoscope {

// Cuts off a piece that is not whole, whose header may be torn: FFmpeg (5.1 at least) refuses the whole file for some
// lengths of such a header. False: there is no whole piece, and the file stays as it is.
bool keep_whole_pieces(const std::string& path);
// The same without the cut: whether a whole piece is there.
bool has_a_whole_piece(const std::string& path);

}  // namespace convoscope
