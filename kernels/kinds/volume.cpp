// Frames in time: 2·rt+1 of them in, the filtered middle one out. The 3-D convolution of the chapter's exercises, fed
// by a ring of the last frames.
#include "kernels/kinds/volume.h"

#include <array>
#include <cmath>
#include <utility>

#include "kernels/contract/theory/overflow.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/frames.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

namespace {

constexpr PixelFormat formats[] = {PixelFormat::rgba8, PixelFormat::gray32f};
constexpr int most_frames = 127;
constexpr const char* no_magnitude = "An edge magnitude is for single pictures; it is not a filter over several frames";

std::vector<Shape> inputs(const Problem& p) {
  return std::vector<Shape>(static_cast<std::size_t>(p.filter.depth), frame_shape(p));
}
std::vector<Shape> outputs(const Problem& p) { return {frame_shape(p)}; }

std::string invalid(const Problem& p) {
  if (p.filter.is_magnitude()) return no_magnitude;
  return overflow_reason(p);
}

// A filter for pictures with ":rt=2" or ",rt=2": the same in each of 2·rt+1 frames, which are averaged. It may be too
// large.
Filter stated(const std::string& text) {
  const std::size_t colon = text.find(':');
  std::string picture = text.substr(0, colon), separator = ":";
  int rt = 0;
  if (colon != std::string::npos)
    for (const std::string_view part : split(std::string_view(text).substr(colon + 1), ',')) {
      const std::string_view assignment = trim(part);
      if (!assignment.starts_with("rt=")) {
        picture.append(std::exchange(separator, ",")).append(part);
        continue;
      }
      const double value = parse_number(assignment.substr(3), "The filter's rt");
      if (value != std::floor(value) || value < 0 || value > most_frames / 2)
        throw Error("The filter's rt is " + number_text(value) + "; it must be a whole number from 0 to " +
                    std::to_string(most_frames / 2));
      rt = static_cast<int>(value);
    }
  const Filter picture_filter = parse_filter(picture).filter;
  if (picture_filter.is_magnitude()) throw Error(no_magnitude);
  Filter filter = over_time(picture_filter, rt);
  if (rt > 0) filter.name = text;
  return filter;
}

Filter parse(const std::string& text) {
  Filter filter = stated(text);
  validate(filter, most_frames);
  return filter;
}

Problem problem(int width, int height, PixelFormat format, Border border, Filter filter) {
  return {width, height, format, border, std::move(filter), &volume_kind};
}

Filter ones(int width, int height, int depth) {
  Filter filter{.name = "ones", .width = width, .height = height, .depth = depth};
  filter.weights.assign(static_cast<std::size_t>(filter.taps()), 1);
  return filter;
}

// 3 × 3 × 3 ones over ones, zero border: all 27 inside, 18 at an edge of the frame (a face of the volume), 12 in its
// corners. In time there is no border: the ring always holds the frames that the filter asks for.
std::vector<Case> worked_examples() {
  const Problem cube = problem(4, 4, PixelFormat::gray32f, Border::zero, ones(3, 3, 3));
  const std::vector<float> frame(16, 1.0f);
  return {{cube, {frame, frame, frame}, {12, 18, 18, 12, 18, 27, 27, 18, 18, 27, 27, 18, 12, 18, 18, 12}}};
}

std::vector<Filter> filters() {
  Filter shaped = random_filter(3, 3, 3);
  shaped.name += ", gain, bias, absolute";
  shaped.gain = 0.5f;
  shaped.bias = -0.125f;
  shaped.absolute = true;
  return {random_filter(1, 1, 1),     random_filter(3, 3, 3), random_filter(5, 3, 1), random_filter(1, 1, 5), shaped,
          parse("box:rx=2,ry=1,rt=2")};
}

// So large that sums of it as they are may be rounded by more than bytes hold: it would be impossible to check.
Filter widest() {
  Filter filter = random_filter(25, 25, 25);
  filter.name += ", gain, bias";
  filter.gain = 0x1p-12f;
  filter.bias = 0.5f;
  return filter;
}

std::vector<Case> cases(const CaseOptions& options) {
  std::vector<Case> cases;
  struct Size {
    int width, height;
  };
  const std::vector<Size> small{{1, 1}, {2, 3}, {13, 11}, {37, 23}};
  const std::vector<Size> large{{1, 1}, {1, 17}, {19, 1}, {2, 3}, {37, 23}, {127, 67}, {263, 131}};
  for (const Filter& filter : options.filters.empty() ? filters() : options.filters)
    for (const Size size : options.small ? small : large)
      for (const Border border : all_borders)
        for (const PixelFormat format : formats)
          cases.push_back({problem(size.width, size.height, format, border, filter), {}, {}});
  if (!options.filters.empty()) return cases;
  std::size_t turn = 0;
  for (const Filter& filter : {random_filter(5, 5, 5), random_filter(3, 3, 7), random_filter(7, 7, 3),
                               random_filter(9, 3, 5), widest(), parse("gaussian:radius=3,rt=1")})
    for (const PixelFormat format : formats)
      cases.push_back(
          {problem(options.small ? 17 : 67, options.small ? 13 : 41, format, all_borders[turn++ % 4], filter), {}, {}});
  for (Case& example : worked_examples()) cases.push_back(std::move(example));
  return cases;
}

std::vector<Problem> tuning_cases(const CaseOptions& options) {
  std::vector<Problem> problems;
  for (const Filter& filter : options.filters.empty() ? filters() : options.filters)
    problems.push_back(problem(options.small ? 37 : 131, options.small ? 23 : 67, {}, {}, filter));
  return problems;
}

std::vector<Problem> benchmarks() {
  std::vector<Problem> problems;
  for (const auto& [width, height, depth] : {std::array{3, 3, 3}, {5, 5, 5}, {3, 3, 7}, {7, 7, 3}})
    problems.push_back(
        problem(3840, 2160, PixelFormat::gray32f, Border::replicate, random_filter(width, height, depth)));
  return problems;
}

std::string describe(const Problem& p) {
  return std::to_string(p.filter.depth) + (p.filter.depth == 1 ? " frame of " : " frames of ") +
         std::to_string(p.width) + " × " + std::to_string(p.height) + " " + to_string(p.format);
}

// A filter that over_time() made goes by the name of the picture's.
void put_radius(Problem& p, int radius) {
  const int rt = p.filter.rt();
  put_in_filter(p, "radius", radius, stated);
  if (p.filter.rt() != rt) put_in_filter(p, "rt", rt, stated);
}

constexpr int swept_reaches[] = {0, 1, 2, 3, 4, 6, 8}, usual_reaches[] = {1, 2, 4};
constexpr SweepParameter parameters[] = {
    {.id = "radius",
     .title = "radius",
     .unit = picture_radius.unit,
     .idea = "How far the filter reaches in space, to each side of its centre.",
     .least = picture_radius.least,
     .most = picture_radius.most,
     .offered = swept_radii,
     .usual = usual_radii,
     .value = picture_radius.value,
     .put = put_radius},
    {.id = "rt",
     .title = "reach",
     .unit = "frames",
     .idea = "How many frames before, and as many after, the filter reaches over.",
     .least = 0,
     .most = most_frames / 2,
     .offered = swept_reaches,
     .usual = usual_reaches,
     .value = [](const Problem& p) { return p.filter.rt(); },
     .put = [](Problem& p, int rt) { put_in_filter(p, "rt", rt, stated); }},
    picture_size,
};

}  // namespace

Explanation in_all_frames(const Problem& p, Explanation said) {
  for (KernelStep& step : said.steps) step.input_planes = run_of_planes(0, p.filter.depth);
  return said;
}

Filter over_time(const Filter& picture, int rt) {
  if (picture.is_magnitude()) return picture;
  Filter filter = picture;
  filter.depth = 2 * rt + 1;
  filter.weights.clear();
  for (int t = 0; t < filter.depth; ++t)
    for (const float weight : picture.weights) filter.weights.push_back(weight / static_cast<float>(filter.depth));
  return filter;
}

const Kind volume_kind{
    .id = "volume",
    .title = "Volume",
    .idea = "Frames in time: every output pixel is the weighted sum of its neighbourhood in x, y and t.",
    .formats = formats,
    .width_name = "width",
    .height_name = "height",
    .inputs = inputs,
    .outputs = outputs,
    .invalid = invalid,
    .describe = describe,
    .parse = parse,
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
