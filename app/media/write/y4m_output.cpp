#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "app/media/ffmpeg/cut_off.h"
#include "app/media/play/host_pool.h"
#include "app/media/write/constant_rate.h"
#include "app/media/write/file_output.h"
#include "app/media/write/whole_file.h"
#include "kernels/convert/yuv_planes.h"
#include "kernels/files/descriptor.h"
#include "kernels/files/output_file.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr int first_hd_height = 720;
constexpr std::size_t longest_header = 80;  // bytes with the end of its line that GStreamer 1.22 reads
constexpr std::string_view before_picture = "FRAME\n";

class Y4mOutput : public FileOutput {
 public:
  Y4mOutput(const RecordingSettings& settings, AVRational rate, const Interrupt& interrupt)
      : settings_(settings),
        rate_(av_q2d(rate)),
        times_(rate_, av_q2d({settings.tick_numerator, settings.tick_denominator})),
        stopped_([&interrupt] { return interrupt.stop.load(); }) {
    if (settings_.path != "-") target_.emplace(settings_.path, OutputFile::Use::part_until_whole);
    file_ = target_ ? ::open(target_->draft().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC) : STDOUT_FILENO;
    if (file_ < 0) fail(errno);
    std::string header = "YUV4MPEG2 W" + std::to_string(settings_.width) + " H" + std::to_string(settings_.height) +
                         " F" + std::to_string(rate.num) + ":" + std::to_string(rate.den) + " Ip A" +
                         std::to_string(settings_.pixel_aspect_width) + ":" +
                         std::to_string(settings_.pixel_aspect_height) +
                         (settings_.lossless() ? " C444" : " C420mpeg2");
    // Which is what readers assume anyway.
    if (constexpr std::string_view range = " XCOLORRANGE=LIMITED"; header.size() + range.size() < longest_header)
      header += range;
    header += "\n";
    if (!write_all_until(file_, header, stopped_)) fail(errno);
  }
  ~Y4mOutput() override { close(); }

  void add(const Image& rgba, std::int64_t time, std::int64_t duration) override {
    const YuvLayout layout = y4m_layout(settings_.width, settings_.height, settings_.lossless());
    const std::shared_ptr<void> block = blocks_.take_block(layout.bytes);
    writer_.write(rgba, make_plane_conversion(layout, false, block.get()));
    add_planes(block, layout, time, duration);
  }
  void add_planes(std::shared_ptr<void> block, const YuvLayout& layout, std::int64_t time,
                  std::int64_t duration) override {
    const ConstantRate::Step step = times_.next(time, duration);
    repeat(step.repeats);
    char* const picture = static_cast<char*>(block.get()) + layout.offset[0] - before_picture.size();
    std::memcpy(picture, before_picture.data(), before_picture.size());
    last_ = {picture, layout.bytes - layout.offset[0] + before_picture.size()};
    last_block_ = std::move(block);
    if (step.shown) repeat(1);
  }
  bool finish(bool whole) override {
    repeat(times_.repeats_at_end());
    if (const int problem = close(); problem != 0) fail(problem);
    return !target_ || target_->keep_if(whole);
  }
  void check_is_there() const override {
    if (target_) target_->check_is_there();
  }
  std::string where_left() const override { return target_ ? target_->where_left() : "standard output"; }
  std::string encoder() const override { return settings_.lossless() ? "y4m 4:4:4" : "y4m 4:2:0"; }
  std::string note() const override {
    std::string note;
    const std::int64_t repeated = times_.repeated(), omitted = times_.left_out();
    if (repeated > 0 || omitted > 0) {
      char rate[32];
      std::snprintf(rate, sizeof rate, "%.6g", rate_);
      note = std::string("; for a constant ") + rate + " frames a second ";
      if (repeated > 0) note += counted(repeated, "repetition") + (repeated == 1 ? " was" : " were") + " added";
      if (repeated > 0 && omitted > 0) note += " and ";
      if (omitted > 0) note += counted(omitted, "picture") + (omitted == 1 ? " was" : " were") + " left out";
    }
    if (times_.jumped()) note += "; a jump of its times by more than a minute was left out";
    if (settings_.height >= first_hd_height)
      note += "; its colours are BT.709, as mpv and convoscope read them (ffmpeg and VLC take BT.601)";
    return note;
  }

 private:
  void repeat(std::int64_t times) {  // the picture that came last
    for (std::int64_t i = 0; i < times; ++i)
      if (!write_all_until(file_, last_, stopped_)) fail(errno);
  }
  int close() {
    const int file = std::exchange(file_, -1);
    return file > STDERR_FILENO && ::close(file) != 0 ? errno : 0;
  }
  [[noreturn]] void fail(int problem) {
    if (problem == EPIPE) throw PipeClosed("The program that read the output has stopped reading.");
    if (problem == ECANCELED) throw PipeClosed("The program that reads the output takes nothing.");
    if (problem == EBADF) throw Error("Standard output is closed. Pipe it into a program, or name a file as OUTPUT.");
    const bool plays = target_ && has_a_picture(target_->draft());
    if (target_ && !plays) target_->discard();
    throw Error("The y4m output " + (settings_.path == "-" ? "on standard output" : "'" + settings_.path + "'") +
                " cannot be written: " + std::strerror(problem) + ". " +
                (plays     ? target_->what_is_left()
                 : target_ ? nothing_is_left
                           : "") +
                "Make room or choose another place, and start again.");
  }

  const RecordingSettings settings_;
  const double rate_;  // frames a second
  ConstantRate times_;
  const std::function<bool()> stopped_;
  YuvPlanes writer_;  // of pictures that come as colours
  HostPool blocks_{nullptr};
  std::shared_ptr<void> last_block_;
  std::string_view last_;             // the picture that came last, in it, with the line before
  std::optional<OutputFile> target_;  // none: standard output
  int file_ = -1;
};

}  // namespace

void FileOutput::add_planes(std::shared_ptr<void>, const YuvLayout&, std::int64_t, std::int64_t) {
  throw std::logic_error("this output takes colours, not planes");
}

YuvLayout y4m_layout(int width, int height, bool lossless) {
  constexpr std::size_t head = 64;  // for the line before a picture
  return make_yuv_layout(width, height, lossless ? YuvLayout::Chroma::full : YuvLayout::Chroma::halved,
                         height >= first_hd_height ? ColourMatrix::bt709 : ColourMatrix::bt601, 1, head);
}

std::unique_ptr<FileOutput> open_y4m_output(const RecordingSettings& settings, AVRational rate,
                                            const Interrupt& interrupt) {
  return std::make_unique<Y4mOutput>(settings, rate, interrupt);
}

}  // namespace convoscope
