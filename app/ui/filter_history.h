#pragma once
// What the user can undo: the filters that a pane has had. It watches instead of being told, so that a change from
// anywhere (a panel, a key, a loaded file) can be undone.
#include <cstddef>
#include <deque>
#include <span>
#include <string_view>

#include "kernels/filter/filter_catalogue.h"

namespace convoscope::ui {

bool same_filter(const FilterSpec&, const FilterSpec&);

class FilterHistory {
 public:
  static constexpr std::size_t limit = 200;

  // `settled`: no drag is under way, so that a whole drag becomes one step. Copied only where it has changed.
  void observe(std::string_view kind, std::span<const double> values, const Filter&, bool settled);
  void observe(const FilterSpec& spec, bool settled) { observe(spec.kind, spec.values, spec.filter, settled); }
  bool undo(FilterSpec&);  // false: nothing to undo
  bool redo(FilterSpec&);
  std::size_t undo_count() const { return past_.size(); }
  std::size_t redo_count() const { return future_.size(); }

 private:
  bool started_ = false;
  FilterSpec current_;
  std::deque<FilterSpec> past_, future_;  // the nearest at the back
};

}  // namespace convoscope::ui
