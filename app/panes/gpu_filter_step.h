#pragma once
// The step where a GPU converts and filters: everything is enqueued, and nothing waits.
#include "app/panes/filter_step.h"

namespace convoscope {

class GpuFilterStep final : public FilterStep {
 public:
  GpuFilterStep(Compute& gpu, bool waits, std::function<void()> on_progress, std::function<bool()> stop)
      : FilterStep(gpu, waits, std::move(on_progress), std::move(stop)) {}

  void give_before(const VideoFrame&, PixelFormat) override;
  void filter_again(const Conditions&) override {}  // it filters again in every frame of the window
  // Another frame would have the GPU go on without those of its panes that cores compute.
  bool cores_lag() const override { return panes_.at_work() && !panes_.shows_what_is_at_work(); }
  bool on_gpu() const override { return true; }
  const Image& shape() const override { return input_.image(); }
  std::optional<double> poll_upload_ms() override { return converter_->poll_upload_ms(); }
  std::optional<double> poll_convert_ms() override { return converter_->poll_convert_ms(); }

 private:
  void accept(GivenFrame) override;
  void convert_again() override { begin_conversion(); }
  void finish_conversion() override;
  void look_at_work(double now) override;
  bool begin_next(double now) override;
  void filter_frame(const Conditions&) override;

  void begin_conversion();
};

}  // namespace convoscope
