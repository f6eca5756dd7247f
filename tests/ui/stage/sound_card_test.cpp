// Waveform and spectrum over the foot of the stage.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/panels/panel.h"
#include "app/ui/places/layout.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

bool has_card(Harness& ui) {
  ui.frame(3);
  return std::ranges::any_of(ui::marks(), [](const ui::Mark& mark) { return mark.id == "sound-card"; });
}

constexpr std::pair<float, float> card_sizes[] = {{640, 480}, {1280, 720}, {2560, 1440}};

TEST(SoundCard, LiesInsideTheStageAndTakesAQuarterOfItAtTheMost) {
  for (const auto& [width, height] : card_sizes)
    for (const bool panels : {true, false})
      for (const bool projector : {false, true}) {
        SCOPED_TRACE(std::to_string(width) + (panels ? " panels" : "") + (projector ? " projector" : ""));
        Harness ui(sound_sample(), width, height, 0);
        ui.settings.show_panels = panels;
        ui.settings.projector = projector;
        ASSERT_TRUE(has_card(ui));
        const ui::ItemRectangle card = *ui::item_rectangle("sound-card");
        const UiLayout& stage = ui.layout;
        EXPECT_GE(card.from.x, stage.picture_x);
        EXPECT_GE(card.from.y, stage.picture_y);
        EXPECT_LE(card.to.x, stage.picture_x + stage.picture_width);
        EXPECT_LE(card.to.y, stage.picture_y + stage.picture_height);
        EXPECT_LE(card.to.y - card.from.y, stage.picture_height / 4);
        EXPECT_GT(card.from.y, stage.picture_y + stage.picture_height / 2) << "at its foot";
        EXPECT_TRUE(ui::layout_faults().empty()) << ui::layout_faults().front();
      }
}

TEST(SoundCard, KeepsOutOfTheWayOfEverythingElseThatLiesThere) {
  for (const auto& [width, height] : card_sizes) {
    SCOPED_TRACE(width);
    Harness ui(panes_sample(4), width, height, 0);
    Sample sound = sound_sample();
    ui.settings.sound = sound.settings.sound;
    ui.stats.sound = sound.stats.sound;
    ui.settings.inspect.histogram = ui.settings.inspect.vectorscope = ui.settings.inspect.values = true;
    for (auto& bins : ui.stats.inspect.histogram) bins.assign(256, 5);
    ui.stats.inspect.vectorscope.assign(vectorscope_bins * vectorscope_bins, 1);
    for (PaneSettings& pane : ui.settings.group().panes) pane.card = {CardShape::open, 0.5, 1};
    ui.stats.recording = true;
    ui.stats.messages = {{MessageLevel::information, "Saved a screenshot.", 99.5, "saved"}};
    EXPECT_TRUE(has_card(ui));
    for (const std::string& fault : ui::layout_faults()) ADD_FAILURE() << fault;
  }
}

TEST(SoundCard, LiesAboveTheTransportThatComesWithTheMouse) {
  for (const auto& [width, height] : card_sizes) {
    SCOPED_TRACE(width);
    Harness ui(sound_sample(), width, height, 0);
    ui.settings.show_panels = false;
    ASSERT_TRUE(has_card(ui));
    ui.move(width / 2, height - 5);
    ui.frame(3);
    const ui::ItemRectangle* const progress = ui::item_rectangle("progress");
    ASSERT_NE(progress, nullptr);
    EXPECT_LE(ui::item_rectangle("sound-card")->to.y, progress->from.y);
    for (const std::string& fault : ui::layout_faults()) ADD_FAILURE() << fault;
  }
}

TEST(SoundCard, ComesOnlyWhereSomethingWasHeardAndThereIsRoom) {
  Harness ui(sound_sample(), 1280, 720);
  EXPECT_TRUE(has_card(ui));
  ui.settings.sound.scope = false;
  EXPECT_FALSE(has_card(ui));
  ui.settings.sound.scope = true;
  ui.stats.sound.scope.present = false;
  EXPECT_FALSE(has_card(ui));
  ui.stats.sound.scope.present = true;
  ui.resize(320, 200);
  EXPECT_FALSE(has_card(ui));
}

TEST(SoundCard, NamesWhatIsBeforeAndAfterTheFilter) {
  Harness ui(sound_sample(), 1280, 720);
  ASSERT_TRUE(has_card(ui));
  EXPECT_TRUE(is_said("before"));
  EXPECT_TRUE(is_said("after"));
  EXPECT_TRUE(says(" ms"));
  EXPECT_TRUE(says("kHz"));
  EXPECT_TRUE(says("dB"));
  ui.settings.sound.filtered = false;
  ui.frame(2);
  EXPECT_TRUE(says("not filtered"));
  EXPECT_FALSE(is_said("before"));
  EXPECT_FALSE(is_said("after"));
}

// A decade is as wide as any other: a name that lies on another side of its line than the others would tell another
// tone.
TEST(SoundCard, NamesEveryToneBelowItsLine) {
  for (const auto& [width, height] : card_sizes) {
    SCOPED_TRACE(width);
    Harness ui(sound_sample(), width, height, 0);
    ui.settings.open_panels = {};  // that have names of their own
    ASSERT_TRUE(has_card(ui));
    std::vector<float> middles;
    for (const char* const name : {"100 Hz", "1 kHz", "10 kHz"})
      for (const ui::DrawnText& text : ui::drawn_texts())
        if (text.text == name) middles.push_back(text.at.centre().x);
    ASSERT_EQ(middles.size(), 3u);
    EXPECT_NEAR(middles[1] - middles[0], middles[2] - middles[1], width < 1000 ? 6 : 1);
  }
}

TEST(SoundCard, NamesOwnTapsInTwoWords) {
  Harness ui(sound_sample(), 1280, 720);
  ui.settings.sound.filter = parse_signal_filter("0.25 0.125 0.25");
  ASSERT_TRUE(has_card(ui));
  EXPECT_TRUE(says("own taps"));
  EXPECT_FALSE(says("0.125"));
}

TEST(SoundCard, SurvivesWhatNoSoundIs) {
  Harness ui(sound_sample(), 1280, 720);
  SoundScope& scope = ui.stats.sound.scope;
  scope.before.fill(std::numeric_limits<float>::quiet_NaN());
  scope.after.fill(1e30f);
  scope.spectrum_before.fill(std::numeric_limits<float>::quiet_NaN());
  scope.spectrum_after.fill(-1e30f);
  ui.stats.sound.rate = 1;
  EXPECT_TRUE(has_card(ui));
  scope.before.fill(0);
  scope.after.fill(0);
  EXPECT_TRUE(has_card(ui));
}

}  // namespace
}  // namespace convoscope::test
