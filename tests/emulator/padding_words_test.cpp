// A filter is said to be padded with zeros only where it is.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/volume.h"

namespace convoscope {
namespace {

Filter box(int width, int height) {
  Filter filter = parse_filter("box:radius=1").filter;
  filter.width = width, filter.height = height;
  filter.weights.assign(static_cast<std::size_t>(width * height), 1.0f / static_cast<float>(width * height));
  return filter;
}

// Also where it is higher than wide.
TEST(Explanations, SayThatAFilterIsPaddedOnlyWhereItIs) {
  const Device device = make_compute(Backend::emulated)->device();
  int padded = 0, whole = 0;
  for (const Kind* const kind : {&image_kind, &volume_kind})
    for (const Strategy* const strategy : strategies(Backend::emulated, *kind))
      for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f})
        for (const int width : {3, 5, 7, 9, 11})
          for (const int height : {width, 3}) {
            Problem problem{640, 360, format, Border::replicate, box(width, height), kind};
            if (kind == &volume_kind) {
              problem.filter.depth = 3;
              const std::vector<float> frame = problem.filter.weights;
              for (int i = 0; i < 2; ++i)
                problem.filter.weights.insert(problem.filter.weights.end(), frame.begin(), frame.end());
            }
            if (!strategy->explains || !strategy->unsupported(problem, device, {}).empty()) continue;
            const std::string words = strategy->explain(problem, device, {}, {}).words;
            std::smatch said;
            if (!std::regex_search(words, said,
                                   std::regex("padded with zeros to (a width of )?([0-9]+)( × ([0-9]+))?"))) {
              ++whole;
              continue;
            }
            ++padded;
            const int columns = std::stoi(said[2]);
            const int rows = said[4].matched ? std::stoi(said[4]) : said[1].matched ? height : columns;
            EXPECT_TRUE(columns > width || rows > height)
                << strategy->id << " of " << width << " × " << height << ": " << words;
          }
  EXPECT_GT(padded, 0);
  EXPECT_GT(whole, 0);
}

}  // namespace
}  // namespace convoscope
