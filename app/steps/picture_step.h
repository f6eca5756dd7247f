#pragma once
// From the panes' results to the picture on the screen: into textures, and these as the view wants them. All calls with
// the OpenGL context current.
#include <memory>
#include <span>
#include <vector>

#include "app/gl/compositor/compositor.h"
#include "app/gl/gl_timer.h"
#include "app/gl/interop/interop.h"
#include "app/inspect/shown_difference.h"
#include "app/panes/filter_step.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/ui.h"
#include "kernels/compute/compute.h"

namespace convoscope {

class PictureStep {
 public:
  explicit PictureStep(Compute&);  // throws Error
  // Before the Compute goes that it was made for, and with the one that comes instead.
  void leave_device() { interop_.reset(); }
  void go_on_with(Compute&);
  void begin_panes();  // other ones than so far, of which there is no picture yet

  // Textures of the size that the panes have. Where a picture is too large to show, it is forgotten: throws Error.
  void prepare(FilterStep&, const Settings&);
  // The textures are taken from OpenGL before a GPU filters, so that what it still draws lies before the kernels and
  // not within.
  void begin_filtering(FilterStep&, const Settings&);
  // Once a frame is on the screen, nothing else draws before the next one: while that is awaited, the device goes over
  // to computing (0.16 ms on an H200, and back and forth where the frame is there already).
  void take_ahead(FilterStep&, const Settings&);
  // What the panes have made, into the textures.
  void present(FilterStep&, const Settings&, Stats&);
  void begin_drawing();  // gives OpenGL what was taken from it, and starts the timer
  void draw(const Composition&, const FilterStep&);
  void end_drawing() { draw_timer_->stop(); }
  void end() { interop_->give_back(); }  // after the last frame

  // As the picture was drawn last, and what it was drawn from.
  const Composition& composition() const { return composition_; }
  std::span<const PaneTexture> textures(const FilterStep&) const;
  Interop& interop() const { return *interop_; }
  GlTimer& draw_timer() const { return *draw_timer_; }

 private:
  bool takes_textures(FilterStep&, const Settings&) const;

  const std::unique_ptr<Compositor> compositor_ = Compositor::make();
  const std::unique_ptr<GlTimer> draw_timer_ = GlTimer::make();
  std::unique_ptr<Interop> interop_;
  int presented_ = -1;  // PaneSet::generation() in the textures
  ShownDifference shown_difference_;
  std::vector<Image> shown_;  // the panes' outputs, as interop takes them
  Composition composition_;
};

// How the settings want the picture to be drawn, within the layout. `scale`: of lines and texts.
Composition compose(const Settings&, const Stats&, const UiLayout&, const FilterStep&, float scale);

}  // namespace convoscope
