#include "app/cli/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/folder.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(SettingsFile, KeepsWhatTheUserChose) {
  const Folder folder;
  const std::string path = folder / "new/folder/settings.json";
  Settings mine = default_settings();
  mine.recent = {"/a b/clip.mp4", "camera:1"};
  mine.panes.resize(2);
  mine.panes[0] = {"constant", {{"block_width", 16}}, parse_filter("gaussian:radius=3,sigma=1.5"), Border::wrap};
  mine.panes[1] = {"source", {}, parse_filter("0 1 0; 1 -4.1 1; 0 1 0"), Border::zero};
  mine.active_pane = 1;
  mine.view = View::difference;
  mine.format = PixelFormat::gray32f;
  mine.playback.speed = 0.25;
  mine.playback.loop = false;
  mine.vsync = false;
  mine.window_width = 1234;
  mine.window_height = 777;
  mine.show_overlay = false;
  mine.light_theme = true;
  mine.ui_scale = 1.5f;
  mine.timing_window = 500;
  mine.open_sections = 5;
  std::string message = "stale";
  ASSERT_TRUE(save_settings(mine, path, &message)) << message;
  EXPECT_THAT(message, IsEmpty());

  const Settings back = load_settings(path, &message);
  EXPECT_THAT(message, IsEmpty());
  EXPECT_EQ(back.recent, mine.recent);
  ASSERT_EQ(back.panes.size(), 2u);
  for (int i : {0, 1}) {
    EXPECT_EQ(back.panes[i].strategy, mine.panes[i].strategy);
    EXPECT_EQ(back.panes[i].tuning, mine.panes[i].tuning);
    EXPECT_EQ(back.panes[i].filter.filter, mine.panes[i].filter.filter);
    EXPECT_EQ(back.panes[i].filter.kind, mine.panes[i].filter.kind);
    EXPECT_EQ(back.panes[i].border, mine.panes[i].border);
  }
  EXPECT_EQ(back.active_pane, 1);
  EXPECT_EQ(back.view, View::difference);
  EXPECT_EQ(back.format, PixelFormat::gray32f);
  EXPECT_EQ(back.playback.speed, 0.25);
  EXPECT_FALSE(back.playback.loop);
  EXPECT_FALSE(back.vsync);
  EXPECT_EQ(back.window_width, 1234);
  EXPECT_EQ(back.window_height, 777);
  EXPECT_FALSE(back.show_overlay);
  EXPECT_TRUE(back.light_theme);
  EXPECT_EQ(back.ui_scale, 1.5f);
  EXPECT_EQ(back.timing_window, 500);
  EXPECT_EQ(back.open_sections, 5u);
}

TEST(SettingsFile, AFirstStartHasNoFileAndSaysNothing) {
  const Folder folder;
  std::string message = "stale";
  const Settings settings = load_settings(folder / "none.json", &message);
  EXPECT_THAT(message, IsEmpty());
  ASSERT_EQ(settings.panes.size(), 1u);
  EXPECT_FALSE(settings.panes[0].filter.filter.weights.empty());
}

TEST(SettingsFile, ABrokenFileIsNamedAndIgnored) {
  const Folder folder;
  for (const char* text : {"", "{", "[]", "null", "\"text\"", "{\"view\": }", "\xff\xfe\x00garbage", "{\"a\":1}}"}) {
    const std::string path = folder.write("settings.json", text);
    std::string message;
    EXPECT_EQ(load_settings(path, &message).view, View::single);
    EXPECT_THAT(message, HasSubstr("settings.json")) << text;
  }
  std::string message;
  load_settings(folder.path(), &message);  // a folder where the file should be
  EXPECT_THAT(message, HasSubstr("cannot be read"));
}

TEST(SettingsFile, OnlyTheWrongValuesAreSkipped) {
  const Folder folder;
  const std::string path = folder.write("settings.json", R"({
    "view": "spiral", "light_theme": true, "speed": 400, "loop": "yes", "ui_scale": "big", "timing_window": 2.5,
    "window": {"width": -5, "height": 700}, "recent": [1, "a.mp4", null], "active_pane": 7, "unknown": {},
    "panes": [{"strategy": "no-such", "border": "wrap", "tuning": {"x": 1}, "filter": "gaussian:radius=-3"},
              {"strategy": "constant", "tuning": {"block_width": 17, "block_height": 4, "gone": 1},
               "filter": {"width": 2, "height": 2, "weights": [1, 2, 3, 4]}}, 5]})");
  std::string message;
  const Settings settings = load_settings(path, &message);
  for (const char* name : {"settings.json", "view", "speed", "loop", "ui_scale", "timing_window", "width",
                           "active_pane", "strategy", "filter"})
    EXPECT_THAT(message, HasSubstr(name));
  EXPECT_EQ(settings.view, View::single);
  EXPECT_TRUE(settings.light_theme);
  EXPECT_EQ(settings.playback.speed, 1.0);
  EXPECT_EQ(settings.window_height, 700);
  EXPECT_THAT(settings.recent, testing::ElementsAre("a.mp4"));
  ASSERT_EQ(settings.panes.size(), 3u);
  EXPECT_EQ(settings.panes[0].border, Border::wrap);
  EXPECT_EQ(settings.panes[1].tuning, (Tuning{{"block_height", 4}}));  // 17 is not offered
  for (const PaneSettings& pane : settings.panes) EXPECT_FALSE(pane.filter.filter.weights.empty());
}

TEST(SettingsFile, AFolderThatCannotBeWrittenToIsAMessage) {
  const Folder folder;
  const std::string file = folder.write("file", "x");
  std::string message;
  EXPECT_FALSE(save_settings(default_settings(), file + "/settings.json", &message));  // a file is no folder
  EXPECT_THAT(message, HasSubstr("settings.json"));
  std::filesystem::create_directory(folder / "settings.json");
  folder.write("settings.json/full", "x");
  EXPECT_FALSE(save_settings(default_settings(), folder / "settings.json", &message));
  EXPECT_THAT(message, HasSubstr("settings.json"));
}

TEST(SettingsFile, NothingIsLeftBesideTheFile) {
  const Folder folder;
  ASSERT_TRUE(save_settings(default_settings(), folder / "settings.json"));
  ASSERT_TRUE(save_settings(default_settings(), folder / "settings.json"));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1);
}

TEST(SettingsFile, LivesInTheConfigFolder) {
  setenv("XDG_CONFIG_HOME", "/somewhere", 1);
  EXPECT_EQ(settings_path(), "/somewhere/convoscope/settings.json");
  setenv("XDG_CONFIG_HOME", "relative", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(settings_path(), "/home/me/.config/convoscope/settings.json");
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("HOME");
  EXPECT_TRUE(settings_path().empty());
  std::string message;
  EXPECT_FALSE(save_settings(default_settings(), &message));
  EXPECT_THAT(message, HasSubstr("HOME"));
}

}  // namespace
}  // namespace convoscope
