// Which source opens an INPUT, and what each says of itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "app/media/sources/source.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

std::string_view taker_of(const std::string& input) { return source_for(input).kind.id; }

TEST(Sources, EachTakesItsOwn) {
  const auto folder = std::filesystem::temp_directory_path() / ("sources-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const auto& [input, id] : {std::pair{"pattern", "pattern"},
                                  {"pattern:zone-plate", "pattern"},
                                  {"pattern:nothing", "pattern"},
                                  {"camera", "camera"},
                                  {"camera:3", "camera"},
                                  {"/dev/video7", "camera"},
                                  {"screen", "screen"},
                                  {"screen.mp4", "file"},
                                  {"https://example.org/a.mp4", "address"},
                                  {"file:///a.mp4", "file"},
                                  {"frame%04d.png", "sequence"},
                                  {"100%.mp4", "file"},
                                  {"shots/*.png", "pictures"},
                                  {"camera.mp4", "file"},
                                  {"-", "file"}})
    EXPECT_EQ(taker_of(input), id) << input;
  EXPECT_EQ(taker_of(folder.string()), "pictures");
  std::filesystem::remove_all(folder);
}

TEST(Sources, OnlySomeAreNamedByNoPath) {
  for (const char* const input : {"camera", "camera:2", "screen", "pattern", "pattern:text", "rtsp://host/live"})
    EXPECT_TRUE(names_no_file(input)) << input;
  for (const char* const input : {"camera.mp4", "screens", "a/pattern", "frame%04d.png", "shots/*.png", ""})
    EXPECT_FALSE(names_no_file(input)) << input;
}

TEST(Sources, SayWhatTheyAreAndOpenWhatTheyOffer) {
  std::set<std::string_view> ids;
  for (const OfferedSource& offered : offered_sources()) {
    const SourceKind& kind = *offered.kind;
    SCOPED_TRACE(kind.id);
    EXPECT_TRUE(ids.insert(kind.id).second);
    EXPECT_FALSE(kind.title.empty());
    EXPECT_NE(std::string_view(kind.form), "");
    EXPECT_TRUE(std::string_view(kind.help).ends_with('.'));
    for (const SourceChoice& choice : offered.choices) {
      EXPECT_EQ(taker_of(choice.input), kind.id);
      EXPECT_EQ(kind.as_chosen ? kind.as_chosen(choice.input) : choice.input, choice.input);
    }
  }
}

TEST(Sources, AnUnknownPatternIsToldThoseThatThereAre) {
  SourceSettings settings;
  EXPECT_EQ(why_not_opened(settings), "");
  settings.input = "pattern:nothing";
  EXPECT_THAT(why_not_opened(settings), HasSubstr("'nothing'"));
  EXPECT_THAT(why_not_opened(settings), HasSubstr("zone-plate"));
}

}  // namespace
}  // namespace convoscope
