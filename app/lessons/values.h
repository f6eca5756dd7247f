#pragma once
// What the expressions of a lesson come to on this machine. Each command is run once, however many of its columns are
// shown.
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "app/lessons/lesson.h"

namespace convoscope::lessons {

// Runs a command with its options and returns all that it prints as JSON; throws Error where that cannot be. What is
// measured takes seconds.
using Evaluate = std::function<nlohmann::ordered_json(const Expression&)>;

// Used by one thread at a time.
class Values {
 public:
  // `measures`: else what bench would take seconds for is shown as "…" in texts.
  explicit Values(Evaluate evaluate, bool measures = true) : evaluate_(std::move(evaluate)), measures_(measures) {}
  bool left_out() const { return left_out_; }  // something that is measured, so far

  // Throw Error with the line of the expression.
  nlohmann::ordered_json value(const Expression&);
  std::string text(const Expression&);

  // A sentence with its numbers in it; without marks for strong words and code.
  std::string text(const Sentence&);

 private:
  Evaluate evaluate_;
  bool measures_, left_out_ = false;
  std::map<std::string, nlohmann::ordered_json> printed_;  // by Expression::key()
};

}  // namespace convoscope::lessons
