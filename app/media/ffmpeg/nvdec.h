#pragma once
// The CUDA device for FFmpeg's NVDEC, made without linking CUDA.
#include <string>

#include "app/media/ffmpeg/ffmpeg.h"

namespace convoscope {

// A device context on the primary context of CUDA device `ordinal` (the one the CUDA runtime uses), with a stream of
// its own. Null when there is no driver or no such device; then `problem` says why.
Owned<AVBufferRef> make_cuda_device(int ordinal, std::string& problem);

// Waits until NVDEC's frames, decoded so far with this device, are complete. False when the device has failed.
bool wait_for_cuda_device(AVBufferRef* device);

}  // namespace convoscope
