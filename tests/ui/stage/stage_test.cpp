// What lies over the panes: cards, messages, the hint, feedback and the transport. None covers another, at any size.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "app/state/message_list.h"
#include "app/ui/cards/cards.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/notices/message_queue.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

const char* const long_error =
    "'rtsp://camera.example/stream' cannot be opened: the server has refused the connection. Look whether it is "
    "switched on and reachable from this machine. The previous source is still shown.";

TEST(MessageList, HasOneASubject) {
  std::vector<Message> list;
  post_message(list, {MessageLevel::error, "No such file.", 1, "source"});
  post_message(list, {MessageLevel::information, "Saved.", 2, "saved"});
  post_message(list, {MessageLevel::error, "Not a video.", 3, "source"});
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list.back().text, "Not a video.");
  withdraw_message(list, "source");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].text, "Saved.");
}

TEST(MessageList, ASubjectThatIsNotNamedIsTheTextAndTheListEnds) {
  std::vector<Message> list;
  for (int i = 0; i < 3; ++i) post_message(list, {MessageLevel::error, "The disk is full.", 1.0 * i, ""});
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].seconds, 2);
  for (int i = 0; i < 200; ++i) post_message(list, {MessageLevel::error, std::to_string(i), 3, ""});
  EXPECT_LE(list.size(), 50u);
  EXPECT_EQ(list.back().text, "199");
}

TEST(Messages, OnlyTheNewestOfASubjectIsShown) {
  Harness ui;
  ui.stats.messages = {{MessageLevel::error, "No such file.", 98, "source"},
                       {MessageLevel::error, "Not a video.", 99, "source"}};
  const std::vector<ui::Said> said = ui::what_to_say(ui.stats, ui.settings);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].text, "Not a video.");
}

TEST(Messages, OneLineLiesInTheMiddle) {
  Harness ui;
  ui.stats.now = 100;
  ui.stats.messages = {{MessageLevel::information, "Saved.", 99, "saved"}};
  ASSERT_TRUE(drawn(ui, "message/saved"));
  const auto text = std::ranges::find(ui::drawn_texts(), "Saved.", &ui::DrawnText::text);
  ASSERT_NE(text, ui::drawn_texts().end());
  EXPECT_NEAR(text->at.centre().y, ui::item_rectangle("message/saved")->centre().y, 1);
}

TEST(Messages, LeaveByThemselvesErrorsLast) {
  Harness ui;
  ui.stats.now = 100;
  ui.stats.messages = {{MessageLevel::error, "The disk is full.", 99, "recording"},
                       {MessageLevel::information, "Saved.", 99, "saved"}};
  ASSERT_TRUE(drawn(ui, "message/recording"));
  ASSERT_TRUE(drawn(ui, "message/saved"));
  ui.stats.now = 110;
  EXPECT_TRUE(drawn(ui, "message/recording"));
  EXPECT_FALSE(drawn(ui, "message/saved"));
  ui.stats.now = 130;
  EXPECT_FALSE(drawn(ui, "message/recording")) << "an error too leaves by itself";
}

TEST(Messages, WhatFindsNoPlaceWaitsAndIsThenSeenForItsWholeTime) {
  Harness ui;
  ui.stats.now = 100;
  for (int i = 0; i < 5; ++i)
    ui.stats.messages.push_back(
        {MessageLevel::information, "Saved " + std::to_string(i) + ".", 99, "picture " + std::to_string(i)});
  EXPECT_TRUE(drawn(ui, "message/picture 4"));
  EXPECT_FALSE(drawn(ui, "message/picture 0"));
  ui.stats.now = 107;  // the first three have gone
  EXPECT_FALSE(drawn(ui, "message/picture 4"));
  EXPECT_TRUE(drawn(ui, "message/picture 0"));
  ui.stats.now = 111;
  EXPECT_TRUE(drawn(ui, "message/picture 0"));
  ui.stats.now = 114;
  EXPECT_FALSE(drawn(ui, "message/picture 0"));
}

TEST(Messages, AClickOrEscapePutsThemAway) {
  Harness ui;
  ui.stats.messages = {{MessageLevel::error, "The disk is full.", 99, "recording"},
                       {MessageLevel::error, "Not a video.", 99, "source"}};
  ui.click("message/recording/close");
  EXPECT_FALSE(drawn(ui, "message/recording"));
  EXPECT_TRUE(drawn(ui, "message/source"));
  ui.key(ui::key::escape);
  EXPECT_FALSE(drawn(ui, "message/source"));
  ui.stats.messages.back().seconds = 100;  // it happens again
  EXPECT_TRUE(drawn(ui, "message/source"));
}

TEST(Messages, OneAboutAFileThatHoldsASessionOpensIt) {
  Harness ui;
  ui.stats.messages = {{MessageLevel::information,
                        "shot.png was made by Convoscope.",
                        ui.stats.now,
                        "session",
                        {{Offer::play_unfiltered, "/class/shot.png"}, {Offer::open_session, "/class/shot.png"}}}};
  ui.frame(3);
  ui.stats.now += 40;
  EXPECT_TRUE(drawn(ui, "message/session")) << "there is a question in it";
  ui.click("message/session/Open its session");
  EXPECT_EQ(ui.requests.load_session, "/class/shot.png");
  EXPECT_FALSE(drawn(ui, "message/session"));
}

TEST(Messages, ANoticeThatWasPutAwayIsKeptInTheSettings) {
  Harness ui(cpu_sample());
  ui.stats.messages.clear();
  ui.click("message/backend/close");
  EXPECT_TRUE(ui.settings.dismissed.contains(ui.stats.backend_notice));
  EXPECT_FALSE(drawn(ui, "message/backend"));
  EXPECT_TRUE(drawn(ui, "message/interop"));
  ui::reset_ui_state();  // the next start
  EXPECT_FALSE(drawn(ui, "message/backend"));
  ui.stats.backend_notice = "Another reason.";
  EXPECT_TRUE(drawn(ui, "message/backend"));
}

TEST(Messages, ANoticeThatWasThereForItsTimeDoesNotComeBackAtTheNextStart) {
  Harness ui(cpu_sample());
  ui.stats.messages.clear();
  EXPECT_TRUE(drawn(ui, "message/backend"));
  ui.stats.now += 5;
  ui.frame();
  EXPECT_TRUE(ui.settings.dismissed.empty()) << "who quits early has not read it";
  ui.stats.now += 20;
  EXPECT_FALSE(drawn(ui, "message/backend"));
  ui::reset_ui_state();  // the next start
  EXPECT_FALSE(drawn(ui, "message/backend"));
  ui.stats.backend_notice = "Another reason.";
  EXPECT_TRUE(drawn(ui, "message/backend"));
}

TEST(Messages, WhatAnEditCouldNotTakeIsToldForAWhile) {
  Harness ui;
  ImGui::SetClipboardText("");
  for (int again = 0; again < 2; ++again) {
    ui.key('V', ui::key::control);
    EXPECT_TRUE(drawn(ui, "message/filter edit"));
    ui.stats.now += 20;
    EXPECT_FALSE(drawn(ui, "message/filter edit"));
    EXPECT_TRUE(ui::ui_state().filter_error.empty());
  }
  ui.key('V', ui::key::control);
  ui.click("message/filter edit/close");
  EXPECT_FALSE(drawn(ui, "message/filter edit"));
}

TEST(Messages, LieBesideTheMarkOfWhatIsBeingFiltered) {
  Harness ui(typical_sample(), 640, 480);
  ui.stats.panes[0].filtering_seconds = 3;
  ui.frame(2);
  const ui::Area alone = area_of(*ui::item_rectangle("filtering/1"));
  ui.stats.messages = {{MessageLevel::error, long_error, ui.stats.now, "source"}};
  ui.frame(2);
  const ui::Area message = area_of(*ui::item_rectangle("message/source")),
                 mark = area_of(*ui::item_rectangle("filtering/1"));
  EXPECT_TRUE(ui::overlap(alone, message)) << "where the mark would be without it";
  EXPECT_FALSE(ui::overlap(mark, message));
}

TEST(Hint, IsThereUntilItIsPutAwayOrHasBeenRead) {
  Harness ui;
  EXPECT_FALSE(drawn(ui, "hint"));
  ui.settings.show_hint = true;
  EXPECT_TRUE(drawn(ui, "hint"));
  ui.stats.now += 25;
  EXPECT_TRUE(drawn(ui, "hint"));
  ui.stats.now += 10;
  EXPECT_FALSE(drawn(ui, "hint"));
  EXPECT_FALSE(ui.settings.show_hint);
  ui.settings.show_hint = true;
  EXPECT_TRUE(drawn(ui, "hint")) << "another one is there as long as the first";
  ui.click("hint/close");
  EXPECT_FALSE(ui.settings.show_hint);
  EXPECT_FALSE(drawn(ui, "hint"));
}

struct Screen {
  float width, height;
  bool projector;
};
class Stage : public testing::TestWithParam<Screen> {};

using Seen = std::map<std::string, ui::Area>;

Seen seen_of(const std::vector<std::string>& names) {
  Seen seen;
  for (const std::string& name : names)
    if (const ui::ItemRectangle* const r = ui::item_rectangle(name)) seen[name] = area_of(*r);
  return seen;
}

void expect_apart(const Seen& seen, const Screen& screen) {
  for (auto a = seen.begin(); a != seen.end(); ++a) {
    const auto& [name, area] = *a;
    EXPECT_GE(area.x, -0.5f) << name;
    EXPECT_GE(area.y, -0.5f) << name;
    EXPECT_LE(area.x + area.width, screen.width + 0.5f) << name;
    EXPECT_LE(area.y + area.height, screen.height + 0.5f) << name;
    for (auto b = seen.begin(); b != a; ++b) EXPECT_FALSE(ui::overlap(area, b->second)) << name << " and " << b->first;
  }
}

// Looked at closely, recorded, with a strategy that another one stands in for and notices of the start.
Sample busy_sample(int count) {
  Sample s = panes_sample(count);
  s.settings.inspect.magnifier = s.settings.inspect.values = true;
  s.settings.inspect.histogram = s.settings.inspect.vectorscope = true;
  InspectStats& inspect = s.stats.inspect;
  inspect.under_cursor = inspect.pixel = PixelAddress{5, 5};
  inspect.pane = inspect.histogram_pane = 0;
  PixelPatch patch;
  patch.area = {0, 0, 13, 13};
  patch.pixels.assign(169, 0xFF808080u);
  inspect.patches.assign(static_cast<std::size_t>(count), patch);
  inspect.values.assign(static_cast<std::size_t>(count), patch.at(5, 5));
  for (auto& bins : inspect.histogram) bins.assign(256, 7);
  inspect.vectorscope.assign(128 * 128, 3);
  s.settings.group().panes[0].strategy = s.stats.panes[0].strategy = "winograd";
  s.stats.panes[0].substitute = s.stats.panes[0].runs = "constant";
  s.stats.recording = true;
  const Sample without_driver = cpu_sample();
  s.stats.backend_notice = without_driver.stats.backend_notice;
  s.stats.interop_notice = without_driver.stats.interop_notice;
  return s;
}

TEST_P(Stage, NothingCoversAnything) {
  const Screen screen = GetParam();
  for (const int count : {1, 4, 9}) {
    for (const bool panels : {true, false}) {
      for (const int problem : {0, 1}) {
        SCOPED_TRACE(std::to_string(count) + " panes, panels " + std::to_string(panels) + ", " +
                     std::to_string(problem));
        Harness ui(panes_sample(count), screen.width, screen.height);
        ui.settings.projector = screen.projector;
        ui.settings.show_panels = panels;
        ui.settings.show_hint = problem == 0;
        ui.stats.recording = true;
        ui.stats.messages = {
            {MessageLevel::information, "Saved a screenshot as /home/user/convoscope-001.png.", 99, "saved"},
            {MessageLevel::error, long_error, 99, "source"}};
        if (problem == 1) ui.stats.source.error = "The file '/home/user/videos/holiday.mp4' is empty.";
        ui.move(screen.width / 3, screen.height - 30);
        ui.frame();
        ui.move(screen.width / 3 + 2, screen.height - 30);  // brings the transport
        ui.key('B');                                        // and this a word on what it did
        ui::watch_items(true);
        ui.frame();
        std::vector<std::string> names{"message/source", "message/saved",  "hint",      "failure",
                                       "feedback",       "recording-mark", "transport", "messages/more"};
        for (int i = 1; i <= count; ++i) names.push_back("card/" + std::to_string(i));
        const Seen seen = seen_of(names);
        EXPECT_TRUE(seen.contains("card/1"));
        EXPECT_TRUE(seen.contains("transport"));
        EXPECT_TRUE(seen.contains(problem == 1 ? "failure" : "hint"));
        EXPECT_TRUE(count > 1 || seen.contains("message/source") || seen.contains("messages/more"));
        expect_apart(seen, screen);
      }
    }
  }
}

TEST_P(Stage, WhatWasAskedForLiesBesideWhatIsTold) {
  const Screen screen = GetParam();
  for (const int count : {1, 2, 4, 9}) {
    for (const View view : {View::grid, View::difference}) {
      if (view == View::difference && count == 4) continue;  // it shows two of them, as of nine
      for (const bool source : {false, true}) {
        SCOPED_TRACE(std::to_string(count) + " panes, view " + std::to_string(static_cast<int>(view)) + ", " +
                     std::to_string(source));
        Harness ui(busy_sample(count), screen.width, screen.height);
        ui.settings.projector = screen.projector;
        ui.settings.group().view = view;
        if (source) ui::momentary().flick_pane = flick_source;
        ui.frame(4);
        ui.key('B');
        ui::watch_items(true);
        ui.frame();
        std::vector<std::string> names{"message/backend", "message/interop", "inspection",   "scopes",      "feedback",
                                       "recording-mark",  "difference-card", "source-label", "substitute/1"};
        for (int i = 1; i <= count; ++i) names.push_back("card/" + std::to_string(i));
        const Seen seen = seen_of(names);
        EXPECT_EQ(seen.contains("difference-card"), view == View::difference && count > 1 && !source);
        if (screen.width > 2000) {
          EXPECT_TRUE(seen.contains("inspection"));
          EXPECT_TRUE(seen.contains("scopes"));
          EXPECT_TRUE(seen.contains("message/backend"));
          EXPECT_EQ(seen.contains("source-label"), source);
          EXPECT_TRUE(count > 1 || seen.contains("substitute/1") != source);
        }
        expect_apart(seen, screen);
      }
    }
  }
}

TEST_P(Stage, ACardTakesATenthOfItsPaneAtMost) {
  const Screen screen = GetParam();
  for (const int count : {1, 2, 4, 9}) {
    for (const View view : {View::grid, View::split}) {
      Harness ui(panes_sample(count), screen.width, screen.height);
      ui.settings.projector = screen.projector;
      ui.settings.group().view = view;
      if (view == View::split) ui.settings.split.angle = 30;  // upright slices are the compositor's to say
      ui.frame(2);
      for (int i = 0; i < count; ++i) {
        const ui::Area card = ui::card_parts(ui.stats, ui.settings, ui.layout, i).card;
        const float pixels = ui::pane_pixels(ui.settings, ui.layout, i);
        EXPECT_LE(card.width * card.height, 0.1f * pixels * 1.001f) << count << " panes, pane " << i + 1;
        EXPECT_TRUE(view != View::grid || card.width > 0) << count << " panes, pane " << i + 1;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Screens, Stage,
                         testing::Values(Screen{640, 480, false}, Screen{800, 600, false}, Screen{1280, 720, false},
                                         Screen{2560, 1440, false}, Screen{800, 600, true}, Screen{1280, 720, true}),
                         [](const auto& each) {
                           return std::to_string(static_cast<int>(each.param.width)) +
                                  (each.param.projector ? "projector" : "");
                         });

TEST(Transport, ComesWithTheMouseAtTheFootAndLeavesByItself) {
  Harness ui;
  ui.settings.show_panels = false;
  ui.move(800, 300);
  ui.frame(2);
  EXPECT_FALSE(drawn(ui, "transport"));
  ui.move(800, 880);
  ui.frame();
  EXPECT_TRUE(drawn(ui, "transport"));
  ui.click("play");
  EXPECT_TRUE(ui.settings.playback.paused);
  ui.frame(180);
  EXPECT_FALSE(drawn(ui, "transport")) << "a mouse that rests does not keep it";
}

TEST(Feedback, SaysWhatAKeyHasChangedForAMoment) {
  Harness ui;
  const auto said = [&] { return ui::ui_state().feedback.text; };
  ui.filter() = parse_filter("gaussian:radius=4");
  ui.frame();
  ui.key(ui::key::up);
  EXPECT_EQ(said(), "Radius 5");
  EXPECT_TRUE(drawn(ui, "feedback"));
  ui.settings.active().border = Border::replicate;
  ui.key('B');
  EXPECT_EQ(said(), "Border: mirror");
  ui.key('L');
  EXPECT_EQ(said(), "Loop off");
  ui.key(ui::key::minus);
  EXPECT_EQ(said(), "Speed 0.75×");
  PlaybackSettings& playback = ui.settings.playback;
  playback.loop_a = 1, playback.loop_b = 2;
  ui.key(ui::key::backslash);
  EXPECT_EQ(said(), "A and B removed");
  playback.loop_b = 2;
  ui.key(ui::key::backslash);
  EXPECT_EQ(said(), "B removed");
  ui.settings.active().strategy = "tiled-input-block";
  ui.key('N');
  EXPECT_EQ(said(), "Strategy: tiled-halo");
  ui.filter() = parse_filter("sobel-x");
  ui.frame();
  ui.key('H', ui::key::shift);
  EXPECT_NE(said().find("Filter"), std::string::npos) << "an edited one has another name";
  ui.stats.now += 3;
  EXPECT_FALSE(drawn(ui, "feedback"));
}

TEST(Feedback, IsSilentWhenNothingHasChanged) {
  Harness ui;
  ui.settings.zoom = {};
  ui.key('0');
  EXPECT_TRUE(ui::ui_state().feedback.text.empty()) << ui::ui_state().feedback.text;
}

}  // namespace
}  // namespace convoscope::test
