#pragma once
// The step where this machine's cores convert and filter: a thread does it beside the caller, who goes on with the last
// pictures; a newer frame takes the place of one that has not been begun.
#include "app/panes/filter_step.h"

namespace convoscope {

class CoresFilterStep final : public FilterStep {
 public:
  CoresFilterStep(Compute& cores, bool waits, std::function<void()> on_progress, std::function<bool()> stop)
      : FilterStep(cores, waits, std::move(on_progress), std::move(stop)) {}
  ~CoresFilterStep() override { panes_.cancel(); }  // it may still convert a frame, which it calls this for

  void give_before(const VideoFrame&, PixelFormat) override;
  void filter_again(const Conditions&) override;
  void cancel() override;
  bool cores_lag() const override { return false; }  // nothing goes on without them
  bool on_gpu() const override { return false; }
  const Image& shape() const override { return panes_.input().image(); }
  std::optional<double> poll_upload_ms() override { return std::nullopt; }
  std::optional<double> poll_convert_ms() override { return std::exchange(convert_ms_, {}); }

 private:
  struct Overtaking {
    GivenFrame frame;
    DeviceImage input;
  };

  void accept(GivenFrame) override;
  void convert_again() override;
  void finish_conversion() override;
  void look_at_work(double now) override;
  bool begin_next(double now) override;
  void filter_frame(const Conditions&) override;

  std::function<void()> conversion();
  void begin(const Conditions&);
  void overtake(const Conditions&);
  void look_at_overtaking(double now);
  void note_conversions();

  std::optional<Overtaking> overtaking_;  // in some panes, while another frame is at work on input_
  bool was_overtaken_ = false;            // what is at work, by input_
  std::optional<double> convert_ms_;      // of the last conversion, until it is asked for
};

}  // namespace convoscope
