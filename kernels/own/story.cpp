#include "kernels/own/story.h"

#include <algorithm>
#include <cmath>

#include "kernels/own/hypotheses.h"
#include "kernels/own/patterns.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

std::string at_line(const Fault& fault) {
  if (fault.line == 0) return {};
  if (fault.other_line == 0 || fault.other_line == fault.line) return " (line " + std::to_string(fault.line) + ")";
  return " (lines " + std::to_string(std::min(fault.line, fault.other_line)) + " and " +
         std::to_string(std::max(fault.line, fault.other_line)) + ")";
}

}  // namespace

std::string worst_in_words(const Difference& worst) {
  return "at (" + std::to_string(worst.x) + ", " + std::to_string(worst.y) + "), channel " +
         std::to_string(worst.channel) + ", " + rounded_text(worst.expected, 6) + " is expected and " +
         rounded_text(worst.actual, 6) + " comes out";
}

std::string story_of_fault(const Fault& fault) {
  const std::string place = at_line(fault);
  using enum Fault::Kind;
  const bool padding = fault.words.find("whose rows have") != std::string::npos;
  switch (fault.kind) {
    case outside_read:
      return "It " + fault.words + place +
             (padding
                  ? ": that is padding between rows. The width was taken for the pitch, or a column too far is read."
                  : ": outside of it the border has to say what is taken.");
    case outside_write:
      return "It " + fault.words + place +
             (padding
                  ? ": that is padding between rows. The width was taken for the pitch, or a column too far is written."
                  : ": the guard against outputs outside of the image is missing or wrong.");
    case array_bounds:
      return "It " + fault.words + place + ".";
    case unwritten:
      return "It " + fault.words + place + ": uninitialised memory.";
    case read_only:
      return "It " + fault.words + place + ".";
    case race_shared:
      return "Two threads are in each other's way: " + fault.words + place + ". A barrier is missing.";
    case race_global:
      return "Two threads are in each other's way: " + fault.words + place + ".";
    case misaligned:
      return "It " + fault.words + place + ", which stops a kernel on a GPU.";
    case kept_state:
      return "It keeps state between launches: it " + fault.words + place + ".";
    case barrier:
      return "A barrier is not reached by all threads of the block: one " + fault.words + ".";
    case wild:
      return "It " + fault.words + place + ".";
    case crash:
    case deadline:
    case other:
      break;
  }
  return "It " + fault.words + place + ".";
}

std::string story_of_outputs(const KernelFile& file, const Asked& asked, const Outcome& outcome) {
  const Outputs& outputs = outcome.outputs;
  if (outputs.seen.empty() || outcome.worst.max_error <= outputs.tolerance) return {};
  if (std::string story = story_of_unwritten(asked.problem, outputs); !story.empty()) return story;
  if (std::string story = story_of_hypotheses(asked, outputs); !story.empty()) return story;
  return story_of_places(file, asked.problem, outputs);
}

}  // namespace convoscope::own
