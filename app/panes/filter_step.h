#pragma once
// The step between the decoder and the screen: turns a decoded frame into the filtered pictures of all panes. A GPU is
// given its work and nothing waits. On the cores of this machine a thread converts and filters beside the caller, who
// goes on with the last pictures; a newer frame takes the place of one that has not been begun.
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
  // `waits`: nobody watches, so every frame is filtered before the caller goes on. `on_progress`: filter() may have
  // something new; called from another thread. `stop`: asked while it waits; the frame is given up once it says so.
  FilterStep(Compute&, bool waits, std::function<void()> on_progress = {}, std::function<bool()> stop = {});
  ~FilterStep() { cancel(); }  // the cores may still convert the frame, which goes before they do

  // The next frame. `at_once`: the user asked for it, so what is under way is given up. Throws Error.
  void give(const VideoFrame&, PixelFormat, bool at_once);
  // One that goes before the next that is given, where several go into a picture.
  void give_before(const VideoFrame&, PixelFormat);
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
  void filter_again(const Conditions&);
  void cancel();        // gives up what is under way on the cores and forgets the frame to come
  void begin_source();  // the same: frames will be another source's
  bool busy() const { return coming_ || is_new_ || panes_.at_work(); }  // something is still to come
  // Cores beside a GPU have still to make a picture that is seen; with a newer frame the GPU would go on without them.
  bool cores_lag() const { return gpu_ && panes_.at_work() && !panes_.shows_what_is_at_work(); }
  bool owes_picture() const { return coming_ || is_new_ || panes_.owes_picture(); }  // and will be seen

  bool settled() const { return panes_.settled(); }  // no plan tries others, or waits for its kernel
  bool on_gpu() const { return gpu_; }

  // What is shown: size and format of all pictures. On a GPU the newest frame, else the one that is there.
  const Image& shape() const { return gpu_ ? input_.image() : panes_.input().image(); }
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
  std::optional<double> poll_upload_ms() { return gpu_ ? converter_->poll_upload_ms() : std::nullopt; }
  std::optional<double> poll_convert_ms() {
    return gpu_ ? converter_->poll_convert_ms() : std::exchange(convert_ms_, {});
  }

 private:
  struct GivenFrame : VideoFrame {
    FrameId id;
    std::vector<GivenFrame> before{};
    FrameInSource in_source() const { return {id, seconds}; }
  };

  void begin_on_gpu();
  void prepare_on_gpu();
  void adopt_coming();
  std::function<void()> prepare();
  void begin(const Conditions&);
  void overtake(const Conditions&);
  void look_at_overtaking(double now);
  void look_at_work(double now);
  void finish_new(double now);
  bool is_due_again(const Conditions&) const;

  Compute& compute_;
  const bool waits_, gpu_;
  const std::function<bool()> stop_;
  std::unique_ptr<FrameConverter> converter_;  // by the cores' thread while it is at work
  ImagePool pool_;
  PaneSet panes_;

  FrameLog log_;
  std::optional<GivenFrame> coming_;  // not begun
  std::vector<GivenFrame> before_;    // the next one that comes; on cores
  DeviceImage overtaking_input_;
  std::optional<GivenFrame> overtaking_;  // in some panes, while another is at work on input_
  bool was_overtaken_ = false;            // what is at work, by input_
  PixelFormat format_ = PixelFormat::rgba8;
  GivenFrame frame_;         // of input_; with its pixels, which another format is made of
  DeviceImage input_;        // filtered now or last
  bool is_prepared_ = true;  // input_ has its pixels
  bool is_new_ = false;      // input_ has not been finished by all panes
  std::int64_t skipped_ = 0;

  RepeatPace repeat_;
  std::optional<double> convert_ms_;  // of the cores' last conversion, until it is asked for
  bool at_work_ = false;
  bool has_finished_ = false;  // a new picture, since filter() said so last
};

}  // namespace convoscope
