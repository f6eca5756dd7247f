// The sources that the program carries: every strategy's, whole, and where its kernel is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/contract/kind.h"
#include "kernels/listings/listing.h"

namespace convoscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Listings, EveryStrategyHasItsOwnFile) {
  for (const Kind* const kind : kinds())
    for (const Backend backend : {Backend::cpu, Backend::emulated})
      for (const Strategy* const strategy : strategies(backend, *kind)) {
        SCOPED_TRACE(std::string(kind->id) + "/" + std::string(strategy->id));
        const Listing listing = listing_of(*strategy);
        ASSERT_TRUE(listing.own);
        const std::string name = std::string(strategy->id) + (strategy->id == "auto"    ? ".cpp.in"
                                                              : backend == Backend::cpu ? ".cpp"
                                                                                        : ".cu");
        EXPECT_TRUE(listing.own->path.ends_with("/" + name)) << listing.own->path;
        EXPECT_TRUE(listing.own->text.ends_with("\n"));
        if (backend != Backend::cpu) {
          EXPECT_EQ(listing.parts.empty(), strategy->id == "auto") << "kernels share their loads and tiles";
        }
        const ListedLines lines = kernel_lines(listing);
        EXPECT_EQ(lines.file, listing.own);
        EXPECT_LT(lines.begin, lines.end);
        EXPECT_LE(lines.end, static_cast<int>(lines_of(listing.own->text).size()));
      }
}

TEST(Listings, ATilesKernelIsWithinItsFileAndItsPartsAreBesideIt) {
  const Listing listing = listing_of("image", "tiled-halo");
  ASSERT_TRUE(listing.own);
  EXPECT_EQ(listing.own->path, "kernels/strategies/image/2-tiles/tiled-halo.cu");
  std::vector<std::string_view> parts;
  for (const SourceFile* const part : listing.parts) parts.push_back(part->path);
  EXPECT_THAT(parts, Contains("kernels/device/parts/output_tile.h"));
  EXPECT_EQ(std::ranges::count(parts, "kernels/device/device.cuh"), 1) << "each once, however often it is included";

  const std::vector<std::string_view> lines = lines_of(listing.own->text);
  const ListedLines kernel = kernel_lines(listing, "filter_tiled_halo");
  EXPECT_EQ(kernel.file, listing.own);
  EXPECT_THAT(std::string(lines[static_cast<std::size_t>(kernel.begin)]), StartsWith("template <class Pixel"));
  EXPECT_EQ(lines[static_cast<std::size_t>(kernel.end - 1)], "}");
  const auto launch =
      std::ranges::find_if(lines, [](auto line) { return line.find("const Strategy strategy") != line.npos; });
  EXPECT_FALSE(kernel.contains(static_cast<int>(launch - lines.begin())));
}

TEST(Listings, AKernelThatSeveralShareIsFoundInThePart) {
  bool any = false;
  for (const Kind* const kind : kinds())
    for (const Strategy* const strategy : strategies(Backend::emulated, *kind)) {
      const Listing listing = listing_of(*strategy);
      for (const SourceFile* const part : listing.parts) {
        const std::size_t at = part->text.find("\n__global__ ");
        if (at == std::string_view::npos || listing.own->text.find("\n__global__") != std::string_view::npos) continue;
        const std::size_t call = part->text.find('(', part->text.find("void", at));
        const std::size_t name = part->text.find_last_of(" \n", call) + 1;
        const std::string kernel(part->text.substr(name, call - name));
        if (kernel == "__launch_bounds__") continue;
        EXPECT_NE(kernel_lines(listing, kernel).file, listing.own) << kernel;
        any = true;
      }
    }
  EXPECT_TRUE(any);
}

TEST(Listings, NobodyElseHasOne) {
  EXPECT_FALSE(listing_of("image", "no-such").own);
  EXPECT_FALSE(kernel_lines({}).file);
}

}  // namespace
}  // namespace convoscope
