#include "app/session/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/write/png.h"
#include "app/session/json_text.h"
#include "app/session/text_file.h"
#include "app/state/workbench.h"
#include "kernels/text/error.h"
#include "tests/cli/folder.h"
#include "tests/state/everything.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class KeeperTest : public testing::Test {
 protected:
  KeeperTest() {
    setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  }
  // A run of the program in which the user makes `change`.
  template <class Change>
  Settings run(Keeper& keeper, Settings with_options, Change change) {
    keeper.begin(with_options);
    change(with_options);
    keeper.finish(with_options, stats);
    return with_options;
  }
  std::vector<std::string> said(Keeper& keeper) {
    std::vector<std::string> all;
    while (const auto outcome = keeper.poll()) all.push_back(outcome->text);
    return all;
  }

  Folder folder;
  Stats stats;
};

TEST_F(KeeperTest, TheNextRunBeginsWhereThisOneEnds) {
  Settings mine = everything_set();
  {
    Keeper keeper({});
    EXPECT_TRUE(keeper.first_start());
    stats.source.position = 7;
    stats.source.seekable = true;
    run(keeper, keeper.remembered(), [&](Settings& settings) { settings = mine; });
  }
  Keeper next({});
  EXPECT_TRUE(next.remembered() == mine);
  EXPECT_FALSE(next.first_start());
  EXPECT_EQ(next.position(), 7);
  EXPECT_THAT(said(next), testing::IsEmpty());
}

// --session FILE: that of somebody else is looked at, and one's own is not lost by it.
TEST_F(KeeperTest, AnothersSessionTakesThePlaceOfOnesOwnOnlyWhenItIsChanged) {
  Settings mine = default_settings(), theirs = default_settings();
  mine.group().view = View::grid;
  theirs.group().view = View::blink;
  const std::string file = folder / "theirs.json";
  {
    Keeper keeper({});
    run(keeper, keeper.remembered(), [&](Settings& settings) { settings = mine; });
    keeper.save_as(file, theirs, stats);
    keeper.finish(mine, stats);
  }
  const std::string own = folder.read("convoscope/session.json");
  for (int time = 0; time < 2; ++time) {
    Keeper keeper({.session = file});
    run(keeper, keeper.remembered(), [](Settings&) {});
    EXPECT_EQ(folder.read("convoscope/session.json"), own) << "it was only looked at";
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "convoscope/session-before.json"));
  Keeper keeper({.session = file});
  run(keeper, keeper.remembered(), [](Settings& settings) { settings.group().view = View::split; });
  EXPECT_EQ(read_json(folder.read("convoscope/session.json")).value["view"], "split");
  EXPECT_EQ(folder.read("convoscope/session-before.json"), own);
  EXPECT_THAT(said(keeper), testing::Contains(HasSubstr("session-before.json")));
}

TEST_F(KeeperTest, NamesBothFilesWhereNeitherCanBeWritten) {
  Keeper keeper({});
  const Settings settings = keeper.remembered();
  keeper.begin(settings);
  for (const auto& path : {settings_path(), keeper.session_path()}) {
    std::filesystem::remove(path);
    std::filesystem::create_directories(path);  // no file takes its place
  }
  Settings changed = everything_set();
  keeper.finish(changed, stats);
  EXPECT_THAT(said(keeper), testing::Contains(testing::AllOf(HasSubstr("The settings cannot be kept"),
                                                             HasSubstr("The session cannot be kept"))));
}

TEST(FirstStart, ShowsTheSourceBesideItsFilteredPicture) {
  Settings settings = default_settings();
  show_source_beside(settings);
  ASSERT_EQ(settings.group().panes.size(), 2u);
  EXPECT_EQ(settings.group().panes[0].strategy, "source");
  EXPECT_EQ(settings.group().panes[1].strategy, default_settings().group().panes[0].strategy);
  EXPECT_EQ(settings.group().active_pane, 1);
  EXPECT_EQ(settings.group().view, View::split);
}

TEST_F(KeeperTest, AChangeIsOnTheDiskWithoutAnEnd) {
  Keeper keeper({});
  Settings settings = keeper.remembered();
  keeper.begin(settings);
  keeper.follow(settings, stats);
  settings.group().view = View::blink;
  stats.now = 0.3;  // two looks a second are enough
  keeper.follow(settings, stats);
  const std::string path = keeper.session_path();
  for (int i = 0; i < 2000; ++i) {
    if (read_json(read_small_file(path).text.value_or("{}")).value.value("view", "") == "blink") return;
    usleep(10'000);
  }
  FAIL() << "not written within 20 s";
}

TEST_F(KeeperTest, OptionsAreNotKeptUnlessWhatTheySetIsChanged) {
  {
    Keeper keeper({});
    run(keeper, keeper.remembered(), [](Settings& settings) {
      settings.group().view = View::grid;
      settings.group().panes.resize(3, settings.group().panes[0]);
      settings.group().active_pane = 2;
    });
  }
  {
    Keeper keeper({});
    Settings given = keeper.remembered();
    given.source.input = "pattern:bars";
    given.group().panes.resize(1);
    given.group().active_pane = 0;
    given.group().view = View::single;
    given.light_theme = true;
    run(keeper, given, [](Settings& settings) { settings.show_overlay = false; });
  }
  {
    Keeper keeper({});
    EXPECT_EQ(keeper.remembered().source.input, "pattern");
    EXPECT_EQ(keeper.remembered().group().panes.size(), 3u);
    EXPECT_EQ(keeper.remembered().group().active_pane, 2);
    EXPECT_EQ(keeper.remembered().group().view, View::grid);
    EXPECT_FALSE(keeper.remembered().light_theme);
    EXPECT_FALSE(keeper.remembered().show_overlay);
    Settings given = keeper.remembered();
    given.group().panes.resize(1);
    given.group().active_pane = 0;
    run(keeper, given, [](Settings& settings) { settings.group().panes[0].border = Border::wrap; });
  }
  Keeper keeper({});
  ASSERT_EQ(keeper.remembered().group().panes.size(), 1u) << "what belongs together is kept together";
  EXPECT_EQ(keeper.remembered().group().active_pane, 0);
  EXPECT_EQ(keeper.remembered().group().panes[0].border, Border::wrap);
}

TEST_F(KeeperTest, AWorkbenchOfTheCommandLineIsKeptWithItsPanesOnly) {
  {
    Keeper keeper({});
    run(keeper, keeper.remembered(),
        [](Settings& settings) { settings.group().panes.resize(3, settings.group().panes[0]); });
  }
  const auto shown = [](Settings settings) {
    show_workbench(settings, "layer");
    settings.group().panes[0].strategy = "direct";
    return settings;
  };
  {
    Keeper keeper({});
    run(keeper, shown(keeper.remembered()), [](Settings& settings) { settings.wall.gain = 2; });
  }
  {
    Keeper keeper({});
    EXPECT_EQ(keeper.remembered().workbench, "image");
    EXPECT_EQ(keeper.remembered().group().panes.size(), 3u);
    EXPECT_EQ(keeper.remembered().groups.size(), 1u);
    EXPECT_EQ(keeper.remembered().wall.gain, 2);
    run(keeper, shown(keeper.remembered()),
        [](Settings& settings) { settings.group().panes[0].strategy = "constant"; });
  }
  {
    Keeper keeper({});
    EXPECT_EQ(keeper.remembered().workbench, "layer");
    EXPECT_EQ(keeper.remembered().group().panes[0].strategy, "constant");
    EXPECT_EQ(keeper.remembered().groups.at("image").panes.size(), 3u);
    run(keeper, keeper.remembered(), [](Settings& settings) { show_workbench(settings, "image"); });
  }
  Keeper keeper({});
  EXPECT_EQ(keeper.remembered().group().panes.size(), 3u);
  EXPECT_EQ(keeper.remembered().groups.size(), 2u) << "what is shown is parked no longer, also in the file";
  EXPECT_FALSE(read_json(folder.read("convoscope/session.json")).value["parked"].contains("image"));
}

TEST_F(KeeperTest, ASecondWindowHasAFileOfItsOwn) {
  Keeper one({});
  run(one, one.remembered(), [](Settings& settings) { settings.group().view = View::grid; });
  Keeper other({});
  EXPECT_NE(other.session_path(), one.session_path());
  EXPECT_EQ(other.remembered().group().view, View::grid) << "it begins as the first";
  run(other, other.remembered(), [](Settings& settings) { settings.group().view = View::blink; });
  EXPECT_EQ(read_json(folder.read("convoscope/session.json")).value["view"], "grid");
  EXPECT_EQ(read_json(folder.read("convoscope/session-2.json")).value["view"], "blink");
}

TEST_F(KeeperTest, ASourceThatIsGoneGivesThePatternAndAllElse) {
  {
    Keeper keeper({});
    run(keeper, keeper.remembered(), [&](Settings& settings) {
      settings.source.input = folder / "clip.mp4";
      settings.group().view = View::grid;
    });
  }
  Keeper keeper({});
  EXPECT_EQ(keeper.remembered().source.input, "pattern");
  EXPECT_EQ(keeper.remembered().group().view, View::grid);
  EXPECT_THAT(said(keeper), testing::ElementsAre(HasSubstr("clip.mp4")));
}

TEST_F(KeeperTest, ASourceThatEndedTheProgramIsNotOpenedAgain) {
  const std::string clip = folder.write("deadly.mp4", "x");
  const auto set = [&](Settings& settings) {
    settings.source.input = clip;
    settings.group().view = View::grid;
  };
  {
    Keeper keeper({});
    run(keeper, keeper.remembered(), set);
  }
  {
    Keeper keeper({});
    EXPECT_EQ(keeper.remembered().source.input, clip) << "a run that ended well is no reason";
    keeper.begin(keeper.remembered());  // and it dies
  }
  Keeper keeper({});
  EXPECT_EQ(keeper.remembered().source.input, "pattern");
  EXPECT_EQ(keeper.remembered().group().view, View::grid);
  EXPECT_THAT(said(keeper), testing::ElementsAre(HasSubstr("deadly.mp4")));
  keeper.begin(keeper.remembered());
  stats.frames_shown = 1;
  keeper.follow(keeper.remembered(), stats);
  keeper.finish(keeper.remembered(), stats);
  EXPECT_FALSE(std::filesystem::exists(keeper.session_path().string() + ".opening"));
}

TEST_F(KeeperTest, AResetKeepsABackup) {
  {
    Keeper keeper({});
    run(keeper, keeper.remembered(), [](Settings& settings) { settings.group().view = View::grid; });
  }
  {
    Keeper keeper({.reset = true});
    EXPECT_TRUE(keeper.remembered() == default_settings());
    run(keeper, keeper.remembered(), [](Settings&) {});
    EXPECT_THAT(said(keeper), testing::ElementsAre(HasSubstr("session.json.before-reset")));
  }
  EXPECT_EQ(read_json(folder.read("convoscope/session.json.before-reset")).value["view"], "grid");
  Keeper keeper({});
  EXPECT_EQ(keeper.remembered().group().view, View::single);
}

TEST_F(KeeperTest, FilesWithValuesThatMakeNoSenseAreCopiedBeforeTheyAreReplaced) {
  std::filesystem::create_directories(folder / "convoscope");
  const std::string settings = R"({"vsync": 7, "light_theme": true, "of a later version": 1})";
  const std::string session = R"({"panes": [{"filter": "nonsense", "border": "wrap"}], "view": 3, "paused": true})";
  folder.write("convoscope/settings.json", settings);
  folder.write("convoscope/session.json", session);
  {
    Keeper keeper({});
    EXPECT_TRUE(keeper.remembered().light_theme);
    EXPECT_TRUE(keeper.remembered().playback.paused);
    EXPECT_EQ(keeper.remembered().group().panes[0].border, Border::wrap);
    run(keeper, keeper.remembered(), [](Settings&) {});
    EXPECT_THAT(said(keeper),
                testing::UnorderedElementsAre(
                    testing::AllOf(HasSubstr("settings.json.broken"), HasSubstr("skipped: vsync")),
                    testing::AllOf(HasSubstr("session.json.broken"), HasSubstr("panes: filter"), HasSubstr("view"))));
  }
  EXPECT_EQ(folder.read("convoscope/settings.json.broken"), settings);
  EXPECT_EQ(folder.read("convoscope/session.json.broken"), session);
  EXPECT_EQ(read_json(folder.read("convoscope/settings.json")).value["of a later version"], 1);
  Keeper next({});
  next.begin(next.remembered());
  EXPECT_THAT(said(next), testing::IsEmpty()) << "what was written makes sense";
  EXPECT_FALSE(std::filesystem::exists(folder / "convoscope/session.json.broken.2"));
}

TEST_F(KeeperTest, FilesOfOtherThingsArePutAsideBeforeTheyAreReplaced) {
  std::filesystem::create_directories(folder / "convoscope");
  const std::string other = R"({"width": -1, "loudness": "x"})";
  for (const char* const name : {"convoscope/settings.json", "convoscope/session.json"}) folder.write(name, other);
  {
    Keeper keeper({});
    EXPECT_TRUE(keeper.remembered() == default_settings());
    run(keeper, keeper.remembered(), [](Settings&) {});
    EXPECT_THAT(said(keeper),
                testing::UnorderedElementsAre(HasSubstr("settings.json.broken"), HasSubstr("session.json.broken")));
  }
  for (const std::string name : {"convoscope/settings.json", "convoscope/session.json"}) {
    EXPECT_EQ(folder.read(name + ".broken"), other);
    EXPECT_FALSE(read_json(folder.read(name)).value.contains("loudness")) << name;
  }
}

TEST_F(KeeperTest, ReadingAloneChangesNothing) {
  std::filesystem::create_directories(folder / "convoscope");
  folder.write("convoscope/settings.json", "{\"vsync\": fals}");
  { const Keeper keeper({}); }
  { const Keeper keeper({.reset = true}); }
  EXPECT_EQ(folder.read("convoscope/settings.json"), "{\"vsync\": fals}");
}

TEST_F(KeeperTest, ASavedSessionAScreenshotAndABrokenFileOpen) {
  Settings mine = everything_set();
  mine.source = {folder.write("clip.y4m", "x"), 0, 0, 0, ""};
  {
    Keeper keeper({});
    run(keeper, keeper.remembered(), [&](Settings& settings) { settings = mine; });
    keeper.save_as(folder / "mine.json", mine, stats);
    keeper.finish(mine, stats);
    EXPECT_THAT(said(keeper), testing::ElementsAre(HasSubstr(folder / "mine.json")));
  }
  const Restored saved = open_session(folder / "mine.json", default_settings());
  EXPECT_TRUE(saved.settings.group().panes == mine.group().panes);
  EXPECT_EQ(saved.settings.source.input, mine.source.input);
  EXPECT_FALSE(saved.settings.light_theme) << "the machine's stays";

  std::uint32_t pixel = 0;
  write_png(folder / "shot.png", {&pixel, 1, 1, 4, PixelFormat::rgba8}, {{session_key, embedded_session(mine, {})}});
  const Restored shot = open_session(folder / "shot.png", default_settings());
  EXPECT_TRUE(shot.settings.group().panes == mine.group().panes);
  EXPECT_EQ(shot.settings.source.input, mine.source.input) << "found beside the picture";
  write_png(folder / "plain.png", {&pixel, 1, 1, 4, PixelFormat::rgba8}, {});
  EXPECT_FALSE(read_session_file(folder / "plain.png"));
  EXPECT_THROW(open_session(folder / "plain.png", default_settings()), Error);

  const std::string whole = folder.read("mine.json");
  for (std::size_t cut = 0; cut < whole.size(); cut += 97) {
    const std::string path = folder.write("cut.json", whole.substr(0, cut));
    try {
      const Restored part = open_session(path, default_settings());
      EXPECT_FALSE(part.settings.group().panes.empty());
      EXPECT_FALSE(part.remarks.empty());
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("cut.json"));
    }
    EXPECT_EQ(folder.read("cut.json"), whole.substr(0, cut)) << "the user's file is not touched";
  }
}

TEST_F(KeeperTest, TheSessionBeforeAnotherOpensAgain) {
  const Settings mine = everything_set();
  Keeper keeper({});
  keeper.begin(keeper.remembered());
  const std::string before = keeper.keep_before(mine, stats);
  keeper.finish(default_settings(), stats);
  EXPECT_THAT(said(keeper), testing::IsEmpty());
  EXPECT_TRUE(may_hold_session(before));
  EXPECT_TRUE(open_session(before, default_settings()).settings.group().panes == mine.group().panes);
}

TEST(SessionFile, IsKnownByItsName) {
  for (const char* const name : {"a.json", "a.JSON", "session.json.before-reset", "shot.png", "clip.mkv"})
    EXPECT_TRUE(may_hold_session(name)) << name;
  for (const char* const name : {"a.jpg", "http://host/a.json", "a", ""}) EXPECT_FALSE(may_hold_session(name)) << name;
  EXPECT_TRUE(is_picture_or_recording("shot.PNG"));
  EXPECT_FALSE(is_picture_or_recording("a.json"));
}

TEST(Places, AreWhereTheSpecificationSaysThem) {
  setenv("XDG_CONFIG_HOME", "/somewhere", 1);
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(settings_path(), "/somewhere/convoscope/settings.json");
  EXPECT_EQ(session_path(), "/state/convoscope/session.json");
  setenv("XDG_CONFIG_HOME", "relative", 1);
  setenv("XDG_STATE_HOME", "relative", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(settings_path(), "/home/me/.config/convoscope/settings.json");
  EXPECT_EQ(session_path(), "/home/me/.local/state/convoscope/session.json");
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  EXPECT_TRUE(settings_path().empty());
  EXPECT_TRUE(session_path().empty());
}

}  // namespace
}  // namespace convoscope
