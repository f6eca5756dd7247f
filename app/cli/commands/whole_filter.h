#pragma once
// What `filter` does with each picture of a file: planes in, planes out, on the device of a Compute.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/media/ffmpeg/interrupt.h"
#include "app/media/play/host_pool.h"
#include "app/media/whole/whole_run.h"
#include "app/media/write/whole_file.h"
#include "app/state/settings.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/convert/alpha_step.h"
#include "kernels/convert/conveyor.h"

namespace convoscope {

struct ReadPicture {
  VideoFrame frame;
  PictureMoment moment;
};

// On its way, and where it will lie.
struct FilteredPicture {
  PictureMoment moment;
  std::shared_ptr<void> host;
  std::optional<YuvLayout> planes;  // none: `picture` lies there
  Image picture;
  std::unique_ptr<Conveyed> conveyed;  // last: it writes to all of the above
};

// Made and asked by one thread; begin() and run() are for another, write() for a third.
class WholeFilter {
 public:
  // Throws Error when this strategy, or any, cannot be: before anything is opened.
  WholeFilter(Compute&, const Settings&, bool strategy_given);

  // `frames`: how many will come, roughly; 0: nobody knows.
  std::optional<FilteredPicture> run(ReadPicture&, const WholeFile&, std::int64_t frames, const std::stop_token&);
  // Seconds that were spent waiting for the device.
  double write(FilteredPicture&, WholeFile&);

  const Device& device() const { return compute_.device(); }
  const Strategy& strategy() const { return *strategy_; }
  std::string metadata() const;  // for the output, once a picture is filtered
  // Why not every pixel may be right, a sentence; usually empty. As in the window, what can be seen of it is worth it.
  std::string doubt() const;
  bool alpha() const { return alpha_.has_value(); }  // of the last picture: it took the step around the strategy
  bool yuv() const { return yuv_; }                  // of the last picture: it did not go through RGB
  const ConveyorTimes& times() const { return times_; }
  std::string choice() const { return choice_; }  // how the strategy was chosen, where it was tried; else empty

 private:
  Problem problem(int width, int height) const;
  const Strategy* choose(const Problem&, bool given) const;
  void prepare(int width, int height, bool alpha);
  void choose_by_trial(const Problem&, std::int64_t frames);
  bool stays_yuv(const VideoFormat&, const std::optional<YuvLayout>&) const;
  Image as_rgba(const Image&);

  Compute& compute_;
  const Settings& settings_;
  const bool strategy_given_;
  std::unique_ptr<Conveyor> conveyor_;
  HostPool results_;
  const Strategy* strategy_ = nullptr;
  bool entered_ = false, yuv_ = false;
  std::unique_ptr<Plan> plan_;
  std::optional<AlphaStep> alpha_;  // where pictures are not opaque; the plan is of its planes
  DeviceImage in_, out_;
  std::string choice_;
  ConveyorTimes times_;      // of the thread that writes, like the rest
  std::vector<Rgba8> rgba_;  // of gray32f where an output takes colours
};

// What WholeRun does with them; all outlive it.
RunSteps<ReadPicture, FilteredPicture> filter_steps(WholeFile&, WholeFilter&, const Interrupt&, std::stop_token,
                                                    std::function<void(std::int64_t written)> meanwhile);

// Room between the steps: less where pictures are so large that a few more would be felt.
std::size_t pictures_ahead(const WholeFile&);

// "Decoding", "Filtering", "Encoding" or "Writing": the step that the others waited for.
std::string pace_of(const RunTimes&, const ConveyorTimes&, bool on_gpu, bool encodes);

}  // namespace convoscope
