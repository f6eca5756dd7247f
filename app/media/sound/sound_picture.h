#pragma once
// The picture of a file that has sound alone: its waveform, which moves past the present moment.
#include <memory>

#include "app/media/read/frame_reader.h"

namespace convoscope {

inline constexpr int sound_picture_width = 960, sound_picture_height = 540;  // one second from edge to edge
inline constexpr int sound_picture_rate = 60;                                // pictures a second

// rgba8. The left channel lies above the right one, or one channel alone; what was heard is bright, what is to come is
// dim, and the line in the middle is the present. Opens the file twice, on the thread that calls. Throws Error, a
// sentence: it is no sound that this FFmpeg decodes. `interrupt` outlives the reader.
std::unique_ptr<FrameReader> open_sound_picture(const ReaderOptions&, Interrupt& interrupt);

}  // namespace convoscope
