#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "app/media/ffmpeg/cut_off.h"
#include "app/media/play/host_pool.h"
#include "app/media/write/file_output.h"
#include "app/media/write/whole_file.h"
#include "kernels/convert/yuv_planes.h"
#include "kernels/files/descriptor.h"
#include "kernels/files/output_file.h"

namespace convoscope {
namespace {

constexpr int first_hd_height = 720;
constexpr std::string_view before_picture = "FRAME\n";

class Y4mOutput : public FileOutput {
 public:
  Y4mOutput(const RecordingSettings& settings, AVRational rate, const Interrupt& interrupt)
      : settings_(settings), stopped_([&interrupt] { return interrupt.stop.load(); }) {
    if (settings_.path != "-") target_.emplace(settings_.path, OutputFile::Use::playable_in_pieces);
    file_ = target_ ? ::open(target_->draft().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC) : STDOUT_FILENO;
    if (file_ < 0) fail(errno);
    const std::string header =
        "YUV4MPEG2 W" + std::to_string(settings_.width) + " H" + std::to_string(settings_.height) + " F" +
        std::to_string(rate.num) + ":" + std::to_string(rate.den) + " Ip A" +
        std::to_string(settings_.pixel_aspect_width) + ":" + std::to_string(settings_.pixel_aspect_height) +
        (settings_.lossless() ? " C444" : " C420mpeg2 XYSCSS=420MPEG2") + " XCOLORRANGE=LIMITED\n";
    if (!write_all_until(file_, header, stopped_)) fail(errno);
  }
  ~Y4mOutput() override { close(); }

  void add(const Image& rgba, std::int64_t time, std::int64_t duration) override {
    const YuvLayout layout = y4m_layout(settings_.width, settings_.height, settings_.lossless());
    const std::shared_ptr<void> block = blocks_.take(layout.bytes);
    writer_.write(rgba, make_plane_conversion(layout, false, block.get()));
    add_planes(block, layout, time, duration);
  }
  void add_planes(std::shared_ptr<void> block, const YuvLayout& layout, std::int64_t, std::int64_t) override {
    char* const picture = static_cast<char*>(block.get()) + layout.offset[0] - before_picture.size();
    std::memcpy(picture, before_picture.data(), before_picture.size());
    const std::size_t bytes = layout.bytes - layout.offset[0] + before_picture.size();
    if (!write_all_until(file_, {picture, bytes}, stopped_)) fail(errno);
  }
  bool finish(bool whole) override {
    if (const int problem = close(); problem != 0) fail(problem);
    return !target_ || target_->keep_if(whole);
  }
  void check_is_there() const override {
    if (target_) target_->check_is_there();
  }
  std::string where_left() const override { return target_ ? target_->where_left() : "standard output"; }
  std::string encoder() const override { return settings_.lossless() ? "y4m 4:4:4" : "y4m 4:2:0"; }

 private:
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
  const std::function<bool()> stopped_;
  YuvPlanes writer_;  // of pictures that come as colours
  HostPool blocks_{nullptr};
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
