// What an unfiltered pane is called.
#include <gtest/gtest.h>

#include <string>

#include "app/state/waveform.h"
#include "app/ui/cards/cards.h"
#include "app/ui/places/on_screen.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(SourceLabel, SaysThatItShowsAWaveformAndOfWhichFile) {
  Harness ui;
  ui.settings.group().panes[0].strategy = ui.stats.panes[0].strategy = "source";
  const auto title = [&] {
    ui.frame(2);
    return ui::card_parts(ui.stats, ui.settings, ui.layout, 0).line.title;
  };
  EXPECT_EQ(title(), "Source, unfiltered");
  ui.stats.source.name = "/music/a tone.wav";
  ui.stats.source.description = std::string(waveform_description) + ", pcm_s16le, 48,000 Hz, stereo";
  EXPECT_EQ(title(), "Waveform of a tone.wav, unfiltered");
  EXPECT_EQ(ui::pane_title(ui.stats, ui.settings, static_cast<int>(ui.settings.group().panes.size())), title())
      << "also behind the panes, while its key is held";
}

}  // namespace
}  // namespace convoscope::test
