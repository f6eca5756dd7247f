#pragma once
// Internal to convert/: what make_frame_converter() and make_conveyor() choose from. convert_without_cuda.cpp defines
// CUDA's when nvcc was not there.
#include <memory>

#include "kernels/convert/conveyor.h"
#include "kernels/convert/video_frame.h"

namespace convoscope {

std::unique_ptr<FrameConverter> make_host_frame_converter(Compute&);  // cpu and emulated
std::unique_ptr<FrameConverter> make_cuda_frame_converter(Compute&);
std::unique_ptr<Conveyor> make_host_conveyor(Compute&);
std::unique_ptr<Conveyor> make_cuda_conveyor(Compute&, int lanes);

}  // namespace convoscope
