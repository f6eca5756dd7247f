#pragma once
// What the user can undo: the filters that a pane has had, and the layers of their workbench. It watches instead of
// being told, so that a change from anywhere (a panel, a key, a loaded file) can be undone.
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "app/state/settings.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope::ui {

template <class T, bool (*same)(const T&, const T&)>
class History {
 public:
  static constexpr std::size_t limit = 200;

  // `settled`: no drag is under way, so that a whole drag becomes one step. Copied only where it has changed.
  void observe(const T& now, bool settled) {
    if (current_ && (!settled || same(*current_, now))) return;
    if (current_) {
      past_.push_back(std::move(*current_));
      if (past_.size() > limit) past_.pop_front();
      future_.clear();
    }
    current_ = now;
  }
  bool undo(T& now) { return step(past_, future_, now); }  // false: nothing to undo
  bool redo(T& now) { return step(future_, past_, now); }
  std::size_t undo_count() const { return past_.size(); }
  std::size_t redo_count() const { return future_.size(); }

 private:
  bool step(std::deque<T>& from, std::deque<T>& to, T& now) {
    observe(now, true);
    if (from.empty()) return false;
    to.push_back(std::move(*current_));
    current_ = std::move(from.back());
    from.pop_back();
    now = *current_;
    return true;
  }

  std::optional<T> current_;
  std::deque<T> past_, future_;  // the nearest at the back
};

bool same_filter(const FilterSpec&, const FilterSpec&);
using FilterHistory = History<FilterSpec, same_filter>;

// What the layers are, whatever of them is shown, what is added to the picture, and what their numbers are kept as.
bool same_layers(const LayerSettings&, const LayerSettings&);
using LayerHistory = History<LayerSettings, same_layers>;

}  // namespace convoscope::ui
