#pragma once
// Between two drawings: where pictures come from this machine's cores, the window rests until there is something to
// see. So it does where they come from a GPU, once a picture stays and nothing goes forward with the drawings.
#include <atomic>
#include <functional>

#include "app/gl/window/context.h"
#include "app/panes/filter_step.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/draw_pace.h"
#include "app/steps/measure_step.h"
#include "app/steps/message_poster.h"
#include "app/steps/source_step.h"

namespace convoscope {

class RestStep {
 public:
  explicit RestStep(const MessagePoster& poster) : poster_(poster) {}

  // What goes on beside the window, as far as a rest depends on it.
  struct Beside {
    Context& context;
    FilterStep& filter;
    const SourceStep& source;
    MeasureStep& measuring;
    bool is_saved = false;                                             // each drawing, into a recording or a rendering
    bool files_awaited = false;                                        // an answer of the disk
    std::function<bool()> has_frame;                                   // the source, which keeps it
    std::function<FilterStep::Conditions(double seconds)> conditions;  // of filtering at that time
    std::function<bool()> ends;                                        // the program
  };
  // Until there is something to draw; not at all offscreen, and where a GPU goes forward with each drawing. Filters a
  // picture that stays once more meanwhile, for its times.
  void rest(const Beside&, const Settings&, const Stats&);

  // The GPU rests: nothing is filtered again for the frame at hand.
  bool holds_still() const { return holds_still_; }
  bool is_warm(double now) const { return gpu_.is_warm(now); }  // long enough after a rest for times to count
  void noticed_input(double now) {
    pace_.input(now);
    gpu_.stirred(now);
  }
  // That there may be something new. From any thread.
  void filtering_went_on() { filtered_ = true; }
  void learning_went_on() { learnt_ = true; }

 private:
  bool gpu_rests(double now, const Beside&, const Settings&, const Stats&);
  DrawPace::Needs needs(double now, const Beside&, const Settings&, const Stats&) const;
  void filter_again(const Beside&) const;

  const MessagePoster& poster_;
  DrawPace pace_;
  GpuRest gpu_;
  std::atomic<bool> filtered_ = false, learnt_ = false;
  bool holds_still_ = false;
  double spent_ = 0;       // processor seconds, before the frame at hand
  double stirred_at_ = 0;  // when a frame came, or a person did something
};

}  // namespace convoscope
