// What a card says of the interval of its median.
#include <gtest/gtest.h>

#include "app/ui/cards/cards.h"
#include "app/ui/parts/format.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(CardLine, SaysTheIntervalAsPreciselyAsTheMedian) {
  Harness ui;
  const double median = ui.stats.panes[0].kernel.median();
  ui.stats.panes[0].median_interval = Interval{median - 0.002, median + 0.002};
  ui.frame(2);
  const ui::CardLine line = ui::card_parts(ui.stats, ui.settings, ui.layout, 0).line;
  EXPECT_EQ(line.interval, "± 0.0020") << "of " << line.median;
}

TEST(CardLine, TellsTheEndsOfAnIntervalThatIsNotEvenAboutTheMedian) {
  Harness ui;
  const double median = ui.stats.panes[0].kernel.median();
  for (const Interval interval : {Interval{median * 0.99, median * 1.2}, Interval{median * 0.1, median * 2.2}}) {
    ui.stats.panes[0].median_interval = interval;
    ui.frame(2);
    const ui::CardLine line = ui::card_parts(ui.stats, ui.settings, ui.layout, 0).line;
    EXPECT_EQ(line.interval, ui::format_interval(interval.low, interval.high)) << "as the panel does";
  }
}

}  // namespace
}  // namespace convoscope::test
