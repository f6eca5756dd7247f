#include "app/media/pattern/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/media/sources/source.h"
#include "kernels/text/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

std::unique_ptr<Player> open_pattern(const std::string& input, int width, int height, double rate) {
  SourceSettings source;
  source.input = input;
  source.width = width;
  source.height = height;
  source.rate = rate;
  return Player::open(source, {}, Pace::every);
}

TEST(Pattern, SameNumberSamePixels) {
  for (const std::string& name : Pattern::names()) {
    const auto first = open_pattern("pattern:" + name, 333, 217, 30),
               second = open_pattern("pattern:" + name, 333, 217, 30);
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 40; ++i) {
      const VideoFrame frame = next(*first, once());
      EXPECT_EQ(frame.number, i);
      EXPECT_DOUBLE_EQ(frame.seconds, i / 30.0);
      hashes.push_back(hash_of(frame));
    }
    for (const std::size_t number : {39u, 0u, 17u, 16u, 25u}) {
      second->seek_frame(static_cast<std::int64_t>(number));
      EXPECT_EQ(hash_of(next(*second, once())), hashes[number]) << name << " " << number;
    }
    const std::size_t different = std::set<std::uint64_t>(hashes.begin(), hashes.end()).size();
    const bool moves = name != "siemens-star" && name != "slanted-edges" && name != "gradients";
    EXPECT_EQ(different, moves ? 40u : 1u) << name;
  }
}

TEST(Pattern, PartsAreFoundByTheNamesThatTheyHad) {
  for (const auto& [former, name] : {std::pair{"siemens", "siemens-star"}, {"shapes", "motion"}}) {
    const std::string was = std::string("pattern:") + former, is = std::string("pattern:") + name;
    EXPECT_EQ(hash_of(next(*open_pattern(was, 64, 48, 30), once())),
              hash_of(next(*open_pattern(is, 64, 48, 30), once())));
    EXPECT_EQ(source_for(was).kind.as_chosen(was), is) << "as the list has it";
    EXPECT_EQ(why_not_opened({.input = was}), "");
    EXPECT_EQ(std::ranges::count(Pattern::names(), former), 0);
  }
}

TEST(Pattern, DrawsEveryPixelAtAnySize) {
  for (const std::string& name : Pattern::names())
    for (const auto& [width, height] :
         {std::pair{1, 1}, {1, 97}, {640, 1}, {17, 300}, {160, 160}, {700, 300}, {300, 700}}) {
      const Pattern pattern(name, width, height, 30);
      const std::size_t pitch = static_cast<std::size_t>(width) * 4 + 12;
      std::vector<std::uint8_t> pixels(pitch * static_cast<std::size_t>(height), 7);
      pattern.draw(5, {pixels.data(), width, height, pitch, PixelFormat::rgba8});
      for (int y = 0; y < height; ++y) {
        const std::uint8_t* row = pixels.data() + static_cast<std::size_t>(y) * pitch;
        for (int x = 0; x < width; ++x) ASSERT_EQ(row[4 * x + 3], 255) << name << " " << x << "," << y;
        for (std::size_t i = static_cast<std::size_t>(width) * 4; i < pitch; ++i) ASSERT_EQ(row[i], 7) << "padding";
      }
    }
}

TEST(Pattern, CaptionsAreLeftOutWhereTheyDoNotFit) {
  static constexpr std::uint32_t caption_ink = 0xff9c8880;
  const auto inked = [](int width, int height) {
    const Pattern pattern("all", width, height, 30);
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    pattern.draw(0, {pixels.data(), width, height, static_cast<std::size_t>(width) * 4, PixelFormat::rgba8});
    return std::ranges::count(pixels, caption_ink);
  };
  EXPECT_GT(inked(1280, 720), 100);
  EXPECT_EQ(inked(320, 180), 0) << "they would run into the card beside";
}

TEST(Pattern, LoopsWithoutASeam) {
  const Pattern pattern("all", 320, 180, 7);
  std::vector<std::uint32_t> a(320 * 180), b(320 * 180);
  pattern.draw(0, {a.data(), 320, 180, 320 * 4, PixelFormat::rgba8});
  pattern.draw(pattern.frames(), {b.data(), 320, 180, 320 * 4, PixelFormat::rgba8});
  int different = 0;  // the counter and the noise go on
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] != b[i];
  EXPECT_LT(different, 320 * 180 / 4);
  const auto player = open_pattern("pattern:motion", 64, 64, 2);
  std::vector<VideoFrame> frames = play(*player, {}, 81);
  EXPECT_EQ(hash_of(frames[0]), hash_of(frames[40]));
  EXPECT_EQ(frames[80].number, 0);
}

TEST(Pattern, ZonePlateReachesNyquistAtTheEdge) {
  // On the horizontal through the centre, neighbours near the side differ by almost half a turn, in the centre hardly.
  const Pattern pattern("zone-plate", 512, 512, 30);
  std::vector<std::uint8_t> pixels(512 * 512 * 4);
  pattern.draw(0, {pixels.data(), 512, 512, 512 * 4, PixelFormat::rgba8});
  const auto contrast = [&](int from, int to) {
    double sum = 0;
    for (int x = from; x < to; ++x)
      sum += std::abs(pixels[(256 * 512 + x) * 4 + 1] - pixels[(256 * 512 + x + 1) * 4 + 1]);
    return sum / (to - from);
  };
  EXPECT_LT(contrast(246, 266), 15);
  EXPECT_GT(contrast(480, 510), 100);
}

TEST(Pattern, StatsAndNames) {
  const auto player = open_pattern("pattern", 0, 0, 0);
  const VideoFrame frame = next(*player, once());
  EXPECT_EQ(frame.format.width, 1280);
  EXPECT_EQ(frame.format.height, 720);
  EXPECT_TRUE(frame.format.full_range);
  const SourceStats stats = player->stats();
  EXPECT_EQ(stats.decoder, "generated");
  EXPECT_TRUE(stats.seekable);
  EXPECT_GT(stats.frames, 0);
  EXPECT_EQ(Pattern::names().front(), "all");
  EXPECT_EQ(Pattern::names().size(), 8u);
}

}  // namespace
}  // namespace convoscope::test
