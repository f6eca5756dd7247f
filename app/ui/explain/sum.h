#pragma once
// An explained output's value, term by term: the weights times the inputs under them, as the definition adds them.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/state/stats.h"

namespace convoscope::ui {

struct ExplainedTerm {
  int dx = 0, dy = 0;  // from the pixel; of a layer from the first tap
  double weight = 0, input = 0;
  bool outside = false;  // a ghost cell: the border decides the input
  int plane = 0;         // of the inputs, as KernelStep counts them
  int x = 0, y = 0;      // in it, outside too
  double product() const { return weight * input; }
};

struct ExplainedSum {
  std::vector<ExplainedTerm> terms, terms_y;  // plane by plane, row by row; terms_y: of an edge magnitude's second set
  double sum = 0, sum_y = 0;
  double magnitude = 0;  // of both; `sum` when there is one
  double scaled = 0;     // gain · magnitude + bias · white; of a layer the sum and the map's bias
  double value = 0;      // |scaled| where that is asked for, of a layer ReLU's
  double stored = 0;     // rounded and clamped for rgba8
  bool complete = true;  // all inputs are at hand
};

ExplainedSum add_up(const PixelExplanation&, int channel);

// For whoever asks in every frame: added up anew where something of the explained that counts has changed.
class KeptExplainedSum {
 public:
  const ExplainedSum& of(const PixelExplanation&, int channel);

 private:
  std::shared_ptr<const Problem> problem_;
  std::array<int, 4> output_{};
  std::vector<PixelPatch> inputs_;
  int channel_ = 0;
  ExplainedSum sum_;
};

// The planes of the inputs that go into the output: a picture, a volume's frames, the channels of a layer's group.
std::vector<int> planes_of(const PixelExplanation&);
// "The frame before", "Channel 2, green"; empty where there is but one picture.
std::string plane_name(const PixelExplanation&, int plane);

}  // namespace convoscope::ui
