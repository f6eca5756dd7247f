# convoscope_kernel.h is made of the parts of the ladder's own headers that are device code, word for word, so that what a
# user's kernel is made of is what the ladder's are.

# part(RESULT FILE FROM TO): of FILE the text from FROM on, up to TO, which it has not any more.
function(part result file from to)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  file(READ ${file} text)
  string(FIND "${text}" "${from}" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${file} has no \"${from}\" any more, which own/header.cmake looks for")
  endif()
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "${to}" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "${file} has no \"${to}\" behind \"${from}\" any more, which own/header.cmake looks for")
  endif()
  string(SUBSTRING "${text}" 0 ${end} text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(end_of_space "}  // namespace")
part(OWN_BORDER contract/data/border.h "enum class Border {" "inline constexpr std::array")
part(OWN_BORDER_INDEX contract/data/border.h "// Maps any index" "${end_of_space}")
part(OWN_RGBA8 contract/data/image.h "// Aligned, so that" "static_assert")
part(OWN_IMAGE_VIEW contract/data/image.h "template <class T>\nstruct ImageView" "// An ImageView whose")
part(OWN_MOST_WEIGHTS contract/data/filter.h "inline constexpr int max_filter_weights" "inline constexpr int max_filter_taps_1d")
part(OWN_MOST_TAPS contract/data/filter.h "inline constexpr int max_filter_taps_1d" "inline constexpr int max_filter_radius")
part(OWN_MOST_SEPARABLE strategies/shared/image/separable_taps.h "inline constexpr int max_separable_taps" "\n//")
part(OWN_SHARED device/device.cuh "// A window on the block's dynamic" "// Enqueues kernel<<<")
part(OWN_PIXEL_AT device/device.cuh "constexpr int ceil_div" "${end_of_space}")
part(OWN_EPILOGUE device/pixel.cuh "// What happens to a sum" "inline Epilogue make_epilogue")
part(OWN_SUMS device/pixel.cuh "__device__ inline float apply" "// Calls f.template operator()<Pixel, Sums>()")
part(OWN_TILE device/parts/shared_tile.cuh "// Elements from row to row of a tile." "${end_of_space}")
part(OWN_UNROLL device/parts/wide_pixel.cuh "// Before a loop" "namespace convoscope")
part(OWN_WIDE device/parts/wide_pixel.cuh "struct alignas(16) Rgba32f" "constexpr std::size_t wide_pixel_bytes")
part(OWN_WIDE_SUMS device/parts/wide_pixel.cuh "__device__ inline void add(float& sum" "${end_of_space}")
part(OWN_SIGNAL strategies/shared/signal_tile.cuh "// The sample at i" "// Of a kernel with an output")
file(READ own/header/emulated.h OWN_EMULATED)
# NVRTC takes no function that is not said to be the device's, and constexpr ones of ours are for both sides.
foreach(text OWN_PIXEL_AT OWN_TILE)
  string(REGEX REPLACE "(^|\n)constexpr int " "\\1CONVOSCOPE_HOST_DEVICE constexpr int " ${text} "${${text}}")
endforeach()

set(own_header ${CMAKE_CURRENT_BINARY_DIR}/own/convoscope_kernel.h)
configure_file(own/header/convoscope_kernel.h.in ${own_header} @ONLY)

# What the program carries with it, so that it needs no file of its own when it is installed.
set(own_data "")
function(carry name file header)
  embed_string(${CMAKE_CURRENT_BINARY_DIR}/own/${name}.cpp ${header} ${name} ${file})
  list(APPEND own_data ${CMAKE_CURRENT_BINARY_DIR}/own/${name}.cpp)
  set(own_data ${own_data} PARENT_SCOPE)
endfunction()
carry(kernel_header ${own_header} kernels/own/carried.h)
carry(judge_types ${CMAKE_CURRENT_SOURCE_DIR}/own/header/judge.h kernels/own/carried.h)
carry(judge_side ${CMAKE_CURRENT_SOURCE_DIR}/own/header/judge_side.h kernels/own/carried.h)
carry(new_image ${CMAKE_CURRENT_SOURCE_DIR}/own/header/new_image.cu.in kernels/own/carried.h)
carry(new_signal ${CMAKE_CURRENT_SOURCE_DIR}/own/header/new_signal.cu.in kernels/own/carried.h)

# Lessons that can be copied out: KIND/ID.launches says how the kernels of strategies/KIND/*/ID.cu are launched.
file(GLOB launches RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/own/forks CONFIGURE_DEPENDS own/forks/*/*.launches)
set(FORK_DECLARATIONS "")
set(FORK_ROWS "")
foreach(file ${launches})
  string(REGEX REPLACE "\\.launches$" "" word ${file})
  get_filename_component(kind ${word} DIRECTORY)
  get_filename_component(id ${word} NAME)
  strategy_file(lesson ${word} .cu)
  string(MAKE_C_IDENTIFIER "${kind}_${id}" name)
  carry(lesson_${name} ${lesson} lessons.h)
  carry(launches_${name} ${CMAKE_CURRENT_SOURCE_DIR}/own/forks/${file} lessons.h)
  string(APPEND FORK_DECLARATIONS "extern const std::string_view lesson_${name}, launches_${name};\n")
  string(APPEND FORK_ROWS "    {\"${kind}\", \"${id}\", &lesson_${name}, &launches_${name}},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/own/lessons.h @ONLY CONTENT [[
#include <string_view>

namespace convoscope {
@FORK_DECLARATIONS@}
]])
configure_file(own/forks/forks.cpp.in own/forks.cpp @ONLY)
list(APPEND own_data ${CMAKE_CURRENT_BINARY_DIR}/own/forks.cpp)
