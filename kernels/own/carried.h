#pragma once
// Texts that the program carries with it: CMake puts them there (header.cmake).
#include <span>
#include <string_view>

namespace convoscope {

extern const std::string_view kernel_header;            // convoscope_kernel.h
extern const std::string_view judge_types, judge_side;  // header/judge.h, header/judge_side.h
extern const std::string_view new_image, new_signal;    // what new-kernel writes

// A lesson of the ladder that can be copied out: its file, and how its kernels are launched.
struct CarriedLesson {
  std::string_view kind, id;
  const std::string_view *source, *launches;
};
std::span<const CarriedLesson> carried_lessons();

}  // namespace convoscope
