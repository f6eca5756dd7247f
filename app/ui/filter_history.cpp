#include "app/ui/filter_history.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace convoscope::ui {
namespace {

// By bytes: a NaN must equal itself here, or it would look like a change in every frame.
bool same_weights(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

bool same_content(const Filter& f, const Filter& g) {
  return f.width == g.width && f.height == g.height && f.gain == g.gain && f.bias == g.bias &&
         f.absolute == g.absolute && f.name == g.name && f.maps == g.maps && f.channels == g.channels &&
         f.relu == g.relu && same_weights(f.weights, g.weights) && same_weights(f.weights_y, g.weights_y) &&
         same_weights(f.biases, g.biases);
}

}  // namespace

bool same_filter(const FilterSpec& a, const FilterSpec& b) {
  return a.kind == b.kind && a.values == b.values && same_content(a.filter, b.filter);
}

void FilterHistory::observe(std::string_view kind, std::span<const double> values, const Filter& filter, bool settled) {
  if (started_) {
    if (!settled ||
        (current_.kind == kind && std::ranges::equal(current_.values, values) && same_content(current_.filter, filter)))
      return;
    past_.push_back(std::move(current_));
    if (past_.size() > limit) past_.pop_front();
    future_.clear();
  }
  started_ = true;
  current_ = {std::string(kind), {values.begin(), values.end()}, filter};
}

bool FilterHistory::undo(FilterSpec& spec) {
  observe(spec, true);
  if (past_.empty()) return false;
  future_.push_back(std::move(current_));
  current_ = std::move(past_.back());
  past_.pop_back();
  spec = current_;
  return true;
}

bool FilterHistory::redo(FilterSpec& spec) {
  observe(spec, true);
  if (future_.empty()) return false;
  past_.push_back(std::move(current_));
  current_ = std::move(future_.back());
  future_.pop_back();
  spec = current_;
  return true;
}

}  // namespace convoscope::ui
