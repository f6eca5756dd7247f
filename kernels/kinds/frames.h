#pragma once
// What the kinds share that slide one filter over frames: images, signals (a frame has a channel in each row), volumes.
#include <span>
#include <string_view>
#include <vector>

#include "kernels/contract/kind.h"

namespace convoscope {

inline Shape frame_shape(const Problem& p) { return {{1, 1, 1, p.height, p.width}, element_of(p.format)}; }

// Seeded by their size, so that they are the same in every run.
Filter random_filter(int width, int height, int depth = 1);
// A column times a row, neither symmetric, so that swapped, mirrored or transposed passes show.
Filter random_rank_one(int width, int height);

// Of a kind whose tensors are frames.
std::vector<double> reference_of_frames(const Problem&, std::span<const Tensor> in);
// The alpha is that of the frame in the middle.
Difference compare_frames(const Problem&, const std::vector<double>& expected, std::span<const Tensor> in,
                          const Tensor& out);
std::vector<PlaneArea> sources_in_frames(const Problem&, const PlaneArea& part);
std::vector<double> reference_of_part_of_frames(const Problem&, const PlaneArea& part, std::span<const Tensor> sources);

// The filter of the catalogue by whose name the problem's goes, with another number: "gaussian:radius=4", of which
// `parse` makes the filter. Throws Error where it has none of that name.
void put_in_filter(Problem&, std::string_view name, int value, Filter (*parse)(const std::string&));

// What sweeps of pictures, one or several, vary. The size is told by its rows; the columns follow in proportion. Throws
// Error for one that is too large.
void put_size(Problem&, int rows);
std::string say_size(const Problem&);  // "640×360"
inline constexpr int largest_swept_side = 16384;
inline constexpr int swept_radii[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}, usual_radii[] = {1, 2, 4, 8, 16};
inline constexpr int swept_sizes[] = {360, 720, 1080, 2160};
inline constexpr SweepParameter picture_size{
    .id = "size",
    .title = "size",
    .unit = "rows",
    .idea = "How large the picture is; its columns follow its rows in proportion.",
    .least = 1,
    .most = largest_swept_side,
    .offered = swept_sizes,
    .usual = swept_sizes,
    .value = [](const Problem& p) { return p.height; },
    .put = put_size,
    .say = say_size,
};
inline constexpr SweepParameter picture_radius{
    .id = "radius",
    .title = "radius",
    .unit = "pixels",
    .idea = "How far the filter reaches to each side of its centre.",
    .least = 0,
    .most = max_filter_radius,
    .offered = swept_radii,
    .usual = usual_radii,
    .value = [](const Problem& p) { return p.filter.rx(); },
    .put = [](Problem& p, int radius) { put_in_filter(p, "radius", radius, p.kind->parse); },
};

}  // namespace convoscope
