#pragma once
// What a pane is asked to compute, as one value.
#include "app/state/settings.h"
#include "app/state/workbench.h"

namespace convoscope {

// Of the pictures that go in and of those that come out.
struct PictureShape {
  int width = 0, height = 0;
  PixelFormat format = PixelFormat::rgba8;
  bool has_alpha = false;  // they are not opaque (VideoFormat::has_alpha)
  bool operator==(const PictureShape&) const = default;
  Image image() const { return {nullptr, width, height, 0, format}; }  // without pixels
  bool is_of(const Image& picture) const {
    return picture.width == width && picture.height == height && picture.format == format;
  }
};

// Refers to the settings, as Work does: it is made and compared in every frame, so nothing is copied.
struct PaneRequest {
  const PaneSettings* pane;  // never null
  Work work;
  PictureShape shape;
};
// Whether the same is computed: where a pane lies, how its card looks and what its filter is called do not matter.
bool operator==(const PaneRequest&, const PaneRequest&);
// Whether the plan for one may go on for the other, as far as it is not up to their problems.
bool differ_in_problem_only(const PaneRequest&, const PaneRequest&);
inline Problem problem_of(const PaneRequest& asked) {
  return problem_of(*asked.pane, asked.work, asked.shape.width, asked.shape.height, asked.shape.format);
}

// A copy of what a request refers to.
class KeptRequest {
 public:
  explicit KeptRequest(const PaneRequest&);
  PaneRequest request() const { return {&pane_, {kind_, &layer_, &wall_, reach_}, shape_}; }

 private:
  PaneSettings pane_;
  const Kind* kind_;
  LayerSettings layer_;  // as it is at first where the kind has none, and so is wall_
  WallSettings wall_;
  int reach_;
  PictureShape shape_;
};

}  // namespace convoscope
