#include "app/session/session_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/session/json_text.h"
#include "tests/state/everything.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json read_back(const json& object) { return read_json(write_json(object, 2)).value; }

TEST(SessionJson, KeepsEveryChoice) {
  const Settings mine = everything_set();
  SessionFacts facts;
  facts.position = 12.5;
  Settings back = default_settings();
  double position = 0;
  EXPECT_EQ(read_machine(read_back(machine_json(mine)), back), "");
  EXPECT_EQ(read_session(read_back(session_json(mine, facts)), back, &position), "");
  EXPECT_EQ(position, 12.5);
  EXPECT_TRUE(back == mine) << machine_json(back) << session_json(back, facts);
}

TEST(SessionJson, NothingOfADefaultIsTheSameAsWhatTheTestSets) {
  // Else a field that is forgotten in the lists would pass the test above.
  const json ours = session_json(everything_set(), {}), defaults = session_json(default_settings(), {});
  for (const auto& [key, value] : ours.items())
    if (key != "convoscope" && key != "position" && key != "measured") {
      EXPECT_NE(value, defaults[key]) << key;
    }
  const json machine = machine_json(everything_set()), initial = machine_json(default_settings());
  for (const auto& [key, value] : machine.items()) EXPECT_NE(value, initial[key]) << key;
}

TEST(SessionJson, WhatIsTheMachinesIsNotInASession) {
  const json session = session_json(everything_set(), {});
  const json machine = machine_json(everything_set());
  for (const auto& [key, value] : machine.items()) EXPECT_FALSE(session.contains(key)) << key;
}

TEST(SessionJson, ReadsOpenPanelsOfFilesThatHoldThemAsBits) {
  Settings settings = default_settings();
  EXPECT_EQ(read_session(read_json(R"({"open_sections": 96})").value, settings), "");
  EXPECT_EQ(settings.open_panels, (std::set<std::string>{"recording", "inspect"}));
  read_session(read_json(R"({"open_sections": 0})").value, settings);
  EXPECT_TRUE(settings.open_panels.empty());
  // A file that an earlier version wrote and this one has changed since has both.
  read_session(read_json(R"({"open_sections": 127, "open_panels": ["view"]})").value, settings);
  EXPECT_EQ(settings.open_panels, std::set<std::string>{"view"});
}

TEST(SessionJson, OnlyTheWrongValuesAreSkipped) {
  const json object = read_json(R"({
    "view": "spiral", "speed": 400, "loop": "yes", "timing_window": 2.5, "loop_from": "soon",
    "active_pane": 7, "unknown": {}, "split": [], "sweep": {"radii": [1, "x"]}, "show_overlay": false,
    "panes": [{"strategy": "no-such", "border": "wrap", "tuning": {"x": 1}, "filter": "gaussian:radius=-3"},
              {"strategy": "constant", "tuning": {"block_width": 17, "block_height": 4, "gone": 1},
               "filter": {"width": 2, "height": 2, "weights": [1, 2, 3, 4]}}, 5]})")
                          .value;
  Settings settings = default_settings();
  const std::string skipped = read_session(object, settings);
  for (const char* name :
       {"view", "speed", "loop", "timing_window", "active_pane", "strategy", "filter", "radii", "loop_from", "split"})
    EXPECT_THAT(skipped, HasSubstr(name));
  EXPECT_EQ(settings.view, View::single);
  EXPECT_FALSE(settings.show_overlay);
  EXPECT_EQ(settings.playback.speed, 1.0);
  EXPECT_THAT(settings.sweep.radii, testing::ElementsAre(1));
  ASSERT_EQ(settings.panes.size(), 2u);
  EXPECT_EQ(settings.panes[0].border, Border::wrap);
  EXPECT_EQ(settings.panes[1].tuning, (Tuning{{"block_height", 4}}));  // 17 is not offered
  for (const PaneSettings& pane : settings.panes) EXPECT_FALSE(pane.filter.filter.weights.empty());
}

TEST(SessionJson, WhatIsPassedOnNamesNoFolderAndNoPassword) {
  Settings settings = default_settings();
  settings.source.input = "/home/me/secret/clip.mp4";
  settings.recent = {"/home/me/other.mp4"};
  settings.recording.folder = "/home/me/recordings";
  EXPECT_THAT(embedded_session(settings, {}), Not(HasSubstr("/home")));
  EXPECT_THAT(embedded_session(settings, {}), HasSubstr("clip.mp4"));
  settings.source.input = "rtsp://me:word@camera.example/live/1";
  EXPECT_THAT(embedded_session(settings, {}), HasSubstr("rtsp://camera.example/live/1"));
  EXPECT_THAT(embedded_session(settings, {}), Not(HasSubstr("word")));
}

TEST(JsonText, WhatStandsBeforeAMistakeIsUsed) {
  const JsonText read = read_json("{\"light_theme\": true,\n\"vsync\": false,\n\"ui_scale\": 1.5x }");
  EXPECT_THAT(read.problem, HasSubstr("line 3"));
  EXPECT_EQ(read.value["light_theme"], true);
  EXPECT_EQ(read.value["vsync"], false);
}

TEST(JsonText, NoDepthEndsTheProgram) {
  for (const char* const open : {"[", "{\"a\":"}) {
    std::string deep = "{\"vsync\": false, \"x\": ";
    for (int i = 0; i < 100'000; ++i) deep += open;
    const JsonText read = read_json(deep);
    EXPECT_THAT(read.problem, HasSubstr("deep"));
    EXPECT_EQ(read.value["vsync"], false);
    const json copy = read.value;  // copies and destroys
    EXPECT_FALSE(write_json(copy, 2).empty());
  }
}

}  // namespace
}  // namespace convoscope
