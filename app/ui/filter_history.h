#pragma once
// What the user can undo: the filters and borders that a pane has had, and the layers of their workbench. It watches
// instead of being told, so that a change from anywhere (a panel, a key, a loaded file) can be undone.
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/state/settings.h"
#include "kernels/contract/data/border.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope::ui {

// `T`: what is kept of `Now`, which is watched.
template <class T, class Now, bool (*same)(const T&, const Now&), void (*put_back)(const T&, Now&)>
class History {
 public:
  static constexpr std::size_t limit = 200;

  // `settled`: no drag is under way, so that a whole drag becomes one step. Copied only where it has changed.
  void observe(const Now& now, bool settled) {
    if (current_ && (!settled || same(*current_, now))) return;
    if (current_) {
      past_.push_back(std::move(*current_));
      if (past_.size() > limit) past_.pop_front();
      future_.clear();
    }
    current_.emplace(now);
  }
  // What is under way has not been meant: as it was when it was last settled.
  void take_back(Now& now) const {
    if (current_) put_back(*current_, now);
  }
  bool undo(Now& now) { return step(past_, future_, now); }  // false: nothing to undo
  bool redo(Now& now) { return step(future_, past_, now); }
  std::size_t undo_count() const { return past_.size(); }
  std::size_t redo_count() const { return future_.size(); }

 private:
  bool step(std::deque<T>& from, std::deque<T>& to, Now& now) {
    observe(now, true);
    if (from.empty()) return false;
    to.push_back(std::move(*current_));
    current_ = std::move(from.back());
    from.pop_back();
    put_back(*current_, now);
    return true;
  }

  std::optional<T> current_;
  std::deque<T> past_, future_;  // the nearest at the back
};

bool same_filter(const FilterSpec&, const FilterSpec&);

struct FilterThen {
  explicit FilterThen(const PaneSettings& pane) : filter(pane.filter), border(pane.border) {}
  FilterSpec filter;
  Border border;
};
bool same_then(const FilterThen&, const PaneSettings&);
void put_filter_back(const FilterThen&, PaneSettings&);
using FilterHistory = History<FilterThen, PaneSettings, same_then, put_filter_back>;

// What the layers are, whatever of them is shown, what is added to the picture, and what their numbers are kept as; and
// the strategies that were chosen for one layer alone.
struct LayersThen {
  explicit LayersThen(const Settings&);
  LayerSettings layer;
  std::vector<std::vector<std::string>> chosen;  // PaneSettings::layers, by position
};
bool same_layers(const LayersThen&, const Settings&);
void put_layers_back(const LayersThen&, Settings&);
using LayerHistory = History<LayersThen, Settings, same_layers, put_layers_back>;

}  // namespace convoscope::ui
