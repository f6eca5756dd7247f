#pragma once
// What the user can undo: the filters and borders that a pane has had, the layers of their workbench, and what was done
// to the sound; choice_history.h has the rest. It watches instead of being told, so that a change from anywhere (a
// panel, a key, a loaded file) can be undone.
#include <cstddef>
#include <cstdint>
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

  // `settled`: no drag is under way, so that a whole drag becomes one step. Copied only where it has changed. `turn`:
  // grows, for who has several histories and undoes what came last of all of them. Returns whether it is a step.
  bool observe(const Now& now, bool settled, std::uint64_t turn = 0) {
    if (current_ && (!settled || same(*current_, now))) return false;
    const bool step = current_.has_value();
    if (step) {
      past_.push_back({std::move(*current_), turn});
      if (past_.size() > limit) past_.pop_front();
      future_.clear();
    }
    current_.emplace(now);
    return step;
  }
  // What is now is no step, but what the next one begins from.
  void go_on_from(const Now& now) { current_.emplace(now); }
  const std::optional<T>& current() const { return current_; }
  // What is under way has not been meant: as it was when it was last settled.
  void take_back(Now& now) const {
    if (current_) put_back(*current_, now);
  }
  bool undo(Now& now, std::uint64_t turn = 0) { return step(past_, future_, now, turn); }  // false: nothing to undo
  bool redo(Now& now, std::uint64_t turn = 0) { return step(future_, past_, now, turn); }
  void forget_undone() { future_.clear(); }
  std::size_t undo_count() const { return past_.size(); }
  std::size_t redo_count() const { return future_.size(); }
  // The turn in which the nearest of them was done, or done again; undone. 0: there is none.
  std::uint64_t done_in() const { return past_.empty() ? 0 : past_.back().turn; }
  std::uint64_t undone_in() const { return future_.empty() ? 0 : future_.back().turn; }

 private:
  struct Step {
    T then;
    std::uint64_t turn;
  };
  bool step(std::deque<Step>& from, std::deque<Step>& to, Now& now, std::uint64_t turn) {
    observe(now, true, turn);
    if (from.empty()) return false;
    to.push_back({std::move(*current_), turn});
    current_ = std::move(from.back().then);
    from.pop_back();
    put_back(*current_, now);
    return true;
  }

  std::optional<T> current_;
  std::deque<Step> past_, future_;  // the nearest at the back
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

// What filters the sound; not how it is looked at.
struct SoundThen {
  explicit SoundThen(const SoundSettings&);
  bool filtered;
  SignalFilterSpec filter;
  std::string strategy;
  int block;
};
bool same_sound(const SoundThen&, const SoundSettings&);
void put_sound_back(const SoundThen&, SoundSettings&);
using SoundHistory = History<SoundThen, SoundSettings, same_sound, put_sound_back>;

}  // namespace convoscope::ui
