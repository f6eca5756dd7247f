// One image in, one of the same size out: the chapters on 2-D convolution.
#include <limits>

#include "kernels/contract/theory/overflow.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/frames.h"
#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

std::vector<Shape> shapes(const Problem& p) { return {frame_shape(p)}; }

std::string invalid(const Problem& p) {
  if (p.filter.depth == 1) return overflow_reason(p);
  return "A filter over " + std::to_string(p.filter.depth) + " frames is for volumes, not for a single image";
}

// For the whole product of sizes, borders and formats: something that every strategy takes is among them.
std::vector<Filter> product_filters() {
  return {random_filter(3, 3), random_rank_one(5, 5), parse_filter("box:rx=2,ry=1").filter,
          parse_filter("sobel-magnitude").filter};
}

Filter random_magnitude() {
  Filter filter = random_filter(3, 5);
  filter.name += ", magnitude";
  filter.weights_y = random_rank_one(3, 5).weights;
  return filter;
}

std::vector<Filter> more_filters() {
  std::vector<Filter> filters{random_filter(1, 1),  random_filter(7, 1),   random_filter(1, 7),   random_filter(9, 3),
                              random_filter(3, 11), random_rank_one(9, 3), random_rank_one(3, 7), random_magnitude()};
  for (const FilterKind& kind : filter_kinds()) filters.push_back(parse_filter(std::string(kind.id)).filter);
  for (const char* text :
       {"sobel-x:gain=-0.5,bias=0.25,absolute=1", "gaussian:radius=1,gain=1.5,bias=-0.125", "box:rx=4,ry=1",
        "sobel-magnitude:gain=0.5,bias=-0.25,absolute=1", "disk:radius=7.5", "gaussian:radius=16"}) {
    filters.push_back(parse_filter(text).filter);
    filters.back().name = text;
  }
  return filters;
}

struct Size {
  int width, height;
};

// Worked out by hand: design, section 5; PMPP 4th ed., ch. 7.1.
std::vector<Case> worked_examples() {
  const auto example = [](int width, int height, const char* filter, std::vector<float> pixels,
                          std::vector<double> outputs, Border border = Border::zero) {
    const Problem problem{width, height, PixelFormat::gray32f, border, parse_matrix(filter)};
    return Case{problem, {std::move(pixels)}, std::move(outputs)};
  };
  constexpr double unsaid = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> corners_and_centre(25, unsaid);
  corners_and_centre[0] = 69;
  corners_and_centre[4] = corners_and_centre[20] = 135;
  corners_and_centre[24] = 181;
  corners_and_centre[12] = 321;
  return {
      example(7, 1, "1 3 5 3 1", {8, 2, 5, 4, 1, 7, 3}, {51, 53, 52, 47, 46, 51, 37}),
      example(7, 1, "3 4 5 4 3", {1, 2, 3, 4, 5, 6, 7}, {22, 38, 57, 76, 95, 90, 74}),
      example(7, 1, "3 4 5 4 3", {1, 2, 3, 4, 5, 6, 7}, {29, 41, 57, 76, 95, 111, 123}, Border::replicate),
      example(7, 1, "3 4 5 4 3", {1, 2, 3, 4, 5, 6, 7}, {39, 44, 57, 76, 95, 108, 113}, Border::mirror),
      example(7, 1, "1 2 1", {1, 2, 3, 4, 5, 6, 7}, {4, 8, 12, 16, 20, 24, 20}),
      example(5, 5, "1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1",
              {1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5}, corners_and_centre),
      example(5, 4, "1 0 1; 0 1 0; 1 0 1", {1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8},
              {7, 14, 17, 20, 13, 7, 20, 15, 20, 15, 20, 22, 27, 32, 18, 4, 15, 8, 11, 10}),
  };
}

std::vector<Case> cases(const CaseOptions& options) {
  std::vector<Case> cases;
  const auto add = [&](const Filter& filter, Size size, Border border, PixelFormat format) {
    cases.push_back({.problem = {size.width, size.height, format, border, filter}, .inputs = {}, .outputs = {}});
  };
  const std::vector<Size> small{{1, 1}, {1, 7}, {11, 1}, {2, 3}, {12, 11}, {37, 23}};
  const std::vector<Size> large{{1, 1}, {1, 17}, {19, 1}, {2, 3}, {12, 11}, {37, 23}, {127, 67}, {264, 131}};
  for (const Filter& filter : options.filters.empty() ? product_filters() : options.filters)
    for (const Size size : options.small ? small : large)
      for (const Border border : all_borders)
        for (const PixelFormat format : image_kind.formats) add(filter, size, border, format);
  if (!options.filters.empty()) return cases;

  std::size_t turn = 0;
  for (const Filter& filter : more_filters()) {
    if (!options.small) {
      for (const Border border : all_borders)
        for (const PixelFormat format : image_kind.formats) add(filter, {67, 41}, border, format);
      continue;
    }
    // Both formats, the borders in turn; every border meets every kind of filter over the list.
    for (const PixelFormat format : image_kind.formats) add(filter, {17, 13}, all_borders[turn++ % 4], format);
    if (turn % 8 == 0) ++turn;
  }
  for (Case& example : worked_examples()) cases.push_back(std::move(example));
  return cases;
}

std::vector<Problem> tuning_cases(const CaseOptions& options) {
  std::vector<Problem> problems;
  for (const Filter& filter : options.filters.empty() ? product_filters() : options.filters)
    problems.push_back({options.small ? 37 : 131, options.small ? 23 : 67, {}, {}, filter});
  return problems;
}

std::vector<Problem> benchmarks() {
  std::vector<Problem> problems;
  for (const Size size : {Size{1920, 1080}, Size{3840, 2160}})
    for (const PixelFormat format : image_kind.formats)
      for (const int radius : {1, 2, 4, 8, 16})
        for (const char* kind : {"gaussian:radius=", "disk:radius="})  // separable, and any 2D filter
          problems.push_back(
              {size.width, size.height, format, Border::replicate, parse_filter(kind + std::to_string(radius)).filter});
  return problems;
}

constexpr PixelFormat formats[] = {PixelFormat::rgba8, PixelFormat::gray32f};
constexpr SweepParameter parameters[] = {picture_radius, picture_size};

}  // namespace

const Kind image_kind{
    .id = "image",
    .title = "Image",
    .idea = "One picture in, one of the same size out: every output is the weighted sum of its neighbourhood.",
    .formats = formats,
    .width_name = "width",
    .height_name = "height",
    .inputs = shapes,
    .outputs = shapes,
    .invalid = invalid,
    .invalid_can_be_seen = true,
    .describe =
        [](const Problem& p) {
          return std::to_string(p.width) + " × " + std::to_string(p.height) + " " + to_string(p.format);
        },
    .parse = [](const std::string& text) { return parse_filter(text).filter; },
    .has_catalogue = true,
    .cases = cases,
    .tuning_cases = tuning_cases,
    .benchmarks = benchmarks,
    .reference = reference_of_frames,
    .compare = compare_frames,
    .sources = sources_in_frames,
    .reference_of_part = reference_of_part_of_frames,
    .parameters = parameters,
};

}  // namespace convoscope
