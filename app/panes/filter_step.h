#pragma once
// The step between the decoder and the screen: turns a decoded frame into the filtered pictures of all panes. What a
// GPU and what this machine's cores do differently is said by GpuFilterStep and CoresFilterStep.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/panes/frame_log.h"
#include "app/panes/image_pool.h"
#include "app/panes/pane_set.h"
#include "app/panes/repeat_pace.h"
#include "kernels/convert/video_frame.h"

namespace convoscope {

class FilterStep {
 public:
  virtual ~FilterStep() = default;

  // The next frame. `at_once`: the user asked for it, so what is under way is given up. Throws Error.
  void give(const VideoFrame&, PixelFormat, bool at_once);
  // One that goes before the next that is given, where several go into a picture.
  virtual void give_before(const VideoFrame&, PixelFormat) = 0;
  // How many would have to, so that the picture of this frame is made of those that it lies between in the source.
  // `at_once`: as of give(). `seen`: as of Conditions.
  int frames_before(std::int64_t number, bool at_once, const std::function<bool(int)>& seen);
  // The frame at hand once more in this format, where that is another one. Throws Error.
  void convert_to(PixelFormat);
  // Panes as the settings want them; throws Error when there is no memory, or a frame could not be converted. `now`:
  // seconds.
  void arrange(std::vector<PaneSettings>&, std::vector<PaneStats>&, int timing_window, double now, const Work& = {});

  struct Conditions {
    bool held = false;                // the picture stands still for something else's sake: nothing is filtered again
    bool quiet = true;                // false: the machine is busy otherwise, so that no time counts
    bool together = false;            // the panes are compared: none shows a newer picture than another
    double now = 0;                   // seconds
    std::function<bool(int)> seen{};  // whether a pane is in sight: none of those waits for the others; empty: all are
  };
  // True when all panes that are seen have finished a new picture, or the quick ones while a slow one is at work.
  // Throws Error when a frame could not be converted.
  bool filter(const Conditions&);
  // Between two frames of the window, on cores: filters a picture that stays once more where that is due, for its times
  // alone. Leaves alone what a frame waits for.
  virtual void filter_again(const Conditions&) = 0;
  virtual void cancel();  // gives up what is under way on the cores and forgets the frame to come
  void begin_source();    // the same: frames will be another source's
  bool busy() const { return coming_ || is_new_ || panes_.at_work(); }  // something is still to come
  // Cores beside a GPU have still to make a picture that is seen; with a newer frame the GPU would go on without them.
  virtual bool cores_lag() const = 0;
  bool owes_picture() const { return coming_ || is_new_ || panes_.owes_picture(); }  // and will be seen

  bool settled() const { return panes_.settled(); }  // no plan tries others, or waits for its kernel
  virtual bool on_gpu() const = 0;

  // What is shown: size and format of all pictures. On a GPU the newest frame, else the one that is there.
  virtual const Image& shape() const = 0;
  bool has_picture() const { return shape().data != nullptr; }
  bool has_alpha() const { return frame_.format.has_alpha; }  // of the frame at hand: not all of it is opaque
  void forget();                                              // there is none any more
  double coming_position() const { return (coming_ ? *coming_ : frame_).seconds; }  // of the frame given last
  bool shows_any() const { return log_.seen().has_value(); }                        // picture of this source
  // Of the newest that is seen, in its source, or of the first that is to come; none before.
  bool has_place() const { return log_.at().has_value(); }
  double position() const { return log_.at().value_or(FrameInSource()).seconds; }
  std::int64_t frame_number() const { return log_.at().value_or(FrameInSource()).id.number; }
  // Of the frame that the user asked for, until it or a later one is seen: slow panes may take their time over it.
  std::optional<double> position_to_come() const {
    return log_.asked_for() ? std::optional(log_.asked_for()->seconds) : std::nullopt;
  }
  std::int64_t skipped() const { return skipped_; }  // frames that newer ones took the place of
  PaneSet& panes() { return panes_; }
  const PaneSet& panes() const { return panes_; }
  virtual std::optional<double> poll_upload_ms() = 0;
  virtual std::optional<double> poll_convert_ms() = 0;

 protected:
  // A frame of the source, and which it is.
  struct GivenFrame : VideoFrame {
    FrameId id;
    std::vector<GivenFrame> before{};
    FrameInSource in_source() const { return {id, seconds}; }
  };

  FilterStep(Compute&, bool waits, std::function<void()> on_progress, std::function<bool()> stop);

  virtual void accept(GivenFrame) = 0;   // the next frame, in format_
  virtual void convert_again() = 0;      // the frame at hand: format_ is another one
  virtual void finish_conversion() = 0;  // no other frame of this source comes
  // What has come to its end is shown, and conclusions are drawn once the cores have. Throws Error.
  virtual void look_at_work(double now) = 0;
  virtual bool begin_next(double now) = 0;  // the same; true: the frame at hand is another one from now on
  virtual void filter_frame(const Conditions&) = 0;

  PaneSet::Filtering how_to_filter(const Conditions&) const;  // the frame at hand
  DeviceImage picture_of(const VideoFrame& frame) {           // to be converted into
    return pool_.get(frame.format.upright_width(), frame.format.upright_height(), format_);
  }
  void finish_new(double now);
  bool has_work_ended() { return !panes_.at_work() && std::exchange(at_work_, false); }  // since it was asked last
  void note_repeat(double now);
  bool is_due_again(const Conditions&) const;

  const bool waits_;
  const std::unique_ptr<FrameConverter> converter_;  // by the cores' thread while it is at work
  ImagePool pool_;
  PaneSet panes_;

  FrameLog log_;
  PixelFormat format_ = PixelFormat::rgba8;
  std::optional<GivenFrame> coming_;  // not begun
  std::vector<GivenFrame> before_;    // the next one that comes
  std::int64_t skipped_ = 0;
  GivenFrame frame_;         // of input_; with its pixels, which another format is made of
  DeviceImage input_;        // filtered now or last
  bool is_prepared_ = true;  // input_ has its pixels
  bool is_new_ = false;      // input_ has not been finished by all panes
  bool at_work_ = false;
  bool has_finished_ = false;  // a new picture, since filter() said so last

 private:
  const std::function<bool()> stop_;
  RepeatPace repeat_;
};

// `waits`: nobody watches, so every frame is filtered before the caller goes on. `on_progress`: filter() may have
// something new; called from another thread. `stop`: asked while it waits; the frame is given up once it says so.
std::unique_ptr<FilterStep> make_filter_step(Compute&, bool waits, std::function<void()> on_progress = {},
                                             std::function<bool()> stop = {});

}  // namespace convoscope
