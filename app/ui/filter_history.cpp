#include "app/ui/filter_history.h"

#include <cstring>
#include <vector>

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

// Those behind the first are shared with the step before while nobody changes them: they are not even looked at.
bool same_layers(const LayerSettings& a, const LayerSettings& b) {
  return a.bank == b.bank && a.depthwise == b.depthwise && a.stride == b.stride && a.dilation == b.dilation &&
         a.padded == b.padded && a.network == b.network && a.pooled == b.pooled && a.residual == b.residual &&
         a.further == b.further && same_content(a.weights, b.weights);
}

}  // namespace convoscope::ui
