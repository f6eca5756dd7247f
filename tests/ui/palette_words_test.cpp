// Words that newcomers use, and what they mean by them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/windows/palette.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// Enter takes the first, and eleven are seen: what is meant is among the first few.
TEST(PaletteWords, FindWhatIsMeantAmongTheFirst) {
  const std::pair<const char*, const char*> expected[] = {
      {"matrix", "Filter: Custom"},
      {"kernel matrix", "Filter: Custom"},
      {"paste matrix", "Filter: Paste weights"},
      {"open session", "Source: Open a file, URL or camera"},
      {"load session", "Source: Open a file, URL or camera"},
      {"save session", "Window: Save the session to a file"},
      {"save settings", "Window: Save the session to a file"},
      {"grayscale", "Strategy: Colour (rgba8) or grey (gray32f)"},
      {"greyscale", "Strategy: Colour (rgba8) or grey (gray32f)"},
      {"black and white", "Strategy: Colour (rgba8) or grey (gray32f)"},
      {"contrast", "Filter: More gain"},
      {"brightness", "Filter: More bias"},
      {"darker", "Filter: Less bias"},
      {"side by side", "Views: View: grid"},
      {"before and after", "Views: View: split"},
      {"flicker", "Views: View: blink"},
      {"heatmap", "Views: Difference: false colour"},
      {"compare", "Panes: Add a pane to compare with"},
      {"delete pane", "Panes: Close the pane"},
      {"benchmark", "Timing: Sweep"},
      {"export", "Recording: Render the whole source to a file"},
      {"mirror", "Filter: Flip left and right"},
      {"color picker", "Inspect: Values of all panes"},
      {"soften", "Filter: Gaussian"},
      {"outline", "Filter: Sobel magnitude"},
      {"original", "Source: Show the unfiltered picture"},
      {"algorithm", "Strategy: Next strategy"},
      {"rewind", "Playback: To the first frame"},
      {"scroll", "Picture: Move left"},
      {"shortcuts", "Window: Keys and mouse"},
  };
  constexpr std::size_t looked_at = 4;
  const Sample sample = typical_sample();
  const std::vector<ui::Command> commands = ui::palette_commands(sample.stats, sample.settings);
  for (const auto& [typed, name] : expected) {
    const ui::FoundCommands found = ui::find_commands(commands, typed);
    ASSERT_EQ(found.by, ui::Answers::words) << typed;
    std::string first;
    bool there = false;
    for (std::size_t i = 0; i < std::min(found.commands.size(), looked_at); ++i) {
      there = there || found.commands[i]->name == name;
      first += "\n" + found.commands[i]->name;
    }
    EXPECT_TRUE(there) << typed << first;
  }
}

}  // namespace
}  // namespace convoscope::test
