#pragma once
// Clips that play one after another: those of a folder, or those that were dropped together. Plain data.
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace convoscope {

using ClipNames = std::shared_ptr<const std::vector<std::string>>;  // inputs, in the order in which they play

struct ClipList {
  ClipNames names;                 // null: there is no list
  std::string folder;              // that they are in; empty: they were dropped
  std::size_t at = 0;              // the one that plays
  std::set<std::size_t> left_out;  // these could not be played
  bool goes_on = false;            // another one follows where this one ends

  std::size_t size() const { return names ? names->size() : 0; }
  bool plays(const std::string& input) const { return at < size() && (*names)[at] == input; }
};

// The clip `direction` (1 or -1) from clip `from` that is neither left out nor the one that plays. `around`: the first
// follows the last. Nothing where there is none.
inline std::optional<std::size_t> clip_after(const ClipList& clips, std::size_t from, int direction, bool around) {
  const std::size_t count = clips.size();
  std::size_t clip = from;
  for (std::size_t tried = 1; tried < count; ++tried) {
    const bool at_edge = direction > 0 ? clip + 1 == count : clip == 0;
    if (at_edge && !around) return {};
    clip = direction > 0 ? (clip + 1) % count : (clip + count - 1) % count;
    if (clip != clips.at && !clips.left_out.contains(clip)) return clip;
  }
  return {};
}

}  // namespace convoscope
