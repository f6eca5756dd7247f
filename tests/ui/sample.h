#pragma once
// What a running program would give the panels to show: usual, and as bad as it gets. A ladder of its own, so that the
// tests of the panels do not depend on which strategies were built.
#include "app/state/momentary.h"
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::test {

struct Sample {
  Settings settings;
  Stats stats;
  Momentary momentary{};
};

Sample empty_sample();           // the program before anything has arrived
Sample typical_sample();         // one pane on a GPU
Sample cpu_sample();             // no driver: the CUDA rows are listed and cannot run
Sample emulated_sample();        // the same rows, emulated
Sample substitute_sample();      // winograd is chosen, which cannot run, and constant stands in for it
Sample panes_sample(int panes);  // a grid of them
Sample time_sample();            // the workbench of frames in time
Sample layer_sample();           // that of a convolutional layer, 16 maps of the edges
Sample learning_sample();        // the same, of three maps that are learning Sobel
Sample sound_sample();           // a file with sound, which is filtered; the strategies are compared, the scope is on
Sample extreme_sample();         // long names, NaN times, the largest filter, nine panes, everything wrong
std::set<std::string> all_panels();
RollingTimes times(double median, double spread, int count = 240);

}  // namespace convoscope::test
