#pragma once
// What `auto` found, in auto.json of the cache folder: one choice for each kind of problem on each device.
#include <optional>
#include <string>

#include "kernels/contract/strategy.h"
#include "kernels/measure/doubt.h"

namespace convoscope {

struct AutoChoice {
  std::string strategy;
  double median_ms = 0;
  std::string next;  // the second; empty when there was only one
  double next_ms = 0;
  double row_ms = 0, next_row_ms = 0;  // of a launch among others in a row, where these decided; else 0
  int tried = 0, pruned = 0;
  int samples = 0;                 // launches alone, of which the median is
  double low_ms = 0, high_ms = 0;  // the interval that the median lies in; both 0: not known
  int trials = 0, disturbed = 0;   // of all candidates, and how many of these other programs disturbed
};

// "When it was chosen, it took …": a sentence.
std::string what_it_took(const AutoChoice&);
Doubt doubt_of(const AutoChoice&);

// Names the device, with its driver and this version of the program and the kind's ladder, and everything about a
// problem that may change which strategy wins: kind, format, border, the size to within a factor of √2 either way, and
// the filter's size and shape (its rank or, over frames, whether it is a product; whether it is a box, whether there
// are two, whether absolute values are taken); of a layer its pass, its other numbers and whether biases or ReLU
// follow. Not its weights, nor which libraries are installed, since asking would load them.
std::string auto_key(const Problem&, const Device&);

// `problem`, if given, says what is wrong with the file, or why a choice is not remembered; never throws. A doubtful
// choice is neither remembered nor recalled, nor is one of an earlier version that does not say how well it was known.
std::optional<AutoChoice> recall_choice(const std::string& key, std::string* problem = nullptr);
bool remember_choice(const std::string& key, const AutoChoice&, std::string* problem = nullptr);

}  // namespace convoscope
