#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "app/media/ffmpeg/cut_off.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/write/encoder.h"
#include "app/media/write/file_output.h"
#include "app/media/write/whole_file.h"
#include "app/media/write/write_behind.h"
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
      : settings_(settings), chroma_(settings.lossless() ? YuvPlanes::Chroma::full : YuvPlanes::Chroma::halved) {
    if (settings_.path != "-") target_.emplace(settings_.path, OutputFile::Use::playable_in_pieces);
    file_ = target_ ? ::open(target_->draft().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC) : STDOUT_FILENO;
    if (file_ < 0) fail(errno);
    const std::string header =
        "YUV4MPEG2 W" + std::to_string(settings_.width) + " H" + std::to_string(settings_.height) + " F" +
        std::to_string(rate.num) + ":" + std::to_string(rate.den) + " Ip A" +
        std::to_string(settings_.pixel_aspect_width) + ":" + std::to_string(settings_.pixel_aspect_height) +
        (settings_.lossless() ? " C444" : " C420mpeg2 XYSCSS=420MPEG2") + " XCOLORRANGE=LIMITED\n";
    const auto stopped = [&interrupt] { return interrupt.stop.load(); };
    if (!write_all_until(file_, header, stopped)) fail(errno);
    behind_.emplace(file_, before_picture.size() + YuvPlanes::bytes(settings_.width, settings_.height, chroma_),
                    stopped);
  }
  ~Y4mOutput() override { close(); }

  void add(const Image& rgba, std::int64_t, std::int64_t) override {
    if (!scaler_) open_scaler();
    copy_padded(rgba, *rgba_);
    if (const int status = sws_scale_frame(scaler_.get(), planes_.get(), rgba_.get()); status < 0)
      throw Error("A picture cannot be converted: " + ffmpeg_text(status) + ".");
    std::uint8_t* to = planes();
    for (int plane = 0; plane < 3; ++plane) {
      const bool halved = plane > 0 && !settings_.lossless();
      const int width = halved ? (settings_.width + 1) / 2 : settings_.width;
      const int height = halved ? (settings_.height + 1) / 2 : settings_.height;
      for (int y = 0; y < height; ++y, to += width)
        std::memcpy(to, planes_->data[plane] + static_cast<std::ptrdiff_t>(y) * planes_->linesize[plane],
                    static_cast<std::size_t>(width));
    }
    send();
  }
  void add_yuv(const Image& yuv, std::int64_t, std::int64_t) override {
    writer_.write(yuv, chroma_, planes());
    send();
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
  std::uint8_t* planes() {
    std::memcpy(behind_->buffer(), before_picture.data(), before_picture.size());
    return behind_->buffer() + before_picture.size();
  }
  void open_scaler() {
    const AVPixelFormat format = settings_.lossless() ? AV_PIX_FMT_YUV444P : AV_PIX_FMT_YUV420P;
    const int colour_space = settings_.height >= first_hd_height ? SWS_CS_ITU709 : SWS_CS_ITU601;
    // Of an odd side swscale makes a ratio of not quite 2, by which chroma would move along the picture.
    const int even = settings_.lossless() ? 1 : 2;
    const int width = (settings_.width + even - 1) / even * even, height = (settings_.height + even - 1) / even * even;
    scaler_ = make_recording_scaler(width, height, format, colour_space);
    rgba_ = make_picture(width, height, AV_PIX_FMT_RGBA);
    planes_ = make_picture(width, height, format);
  }
  int close() {
    const int problem = behind_ ? behind_->finish() : 0;
    behind_.reset();
    const int file = std::exchange(file_, -1);
    const int closing = file > STDERR_FILENO && ::close(file) != 0 ? errno : 0;
    return problem != 0 ? problem : closing;
  }
  void send() {
    if (const int problem = behind_->send(); problem != 0) fail(problem);
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
  const YuvPlanes::Chroma chroma_;
  YuvPlanes writer_;
  Owned<SwsContext> scaler_;  // made for the first picture that needs it
  Owned<AVFrame> rgba_, planes_;
  std::optional<OutputFile> target_;  // none: standard output
  int file_ = -1;
  std::optional<WriteBehind> behind_;  // of pictures: a line, and the planes
};

}  // namespace

void FileOutput::add_yuv(const Image&, std::int64_t, std::int64_t) {
  throw std::logic_error("this output takes colours, not Y, U and V");
}

bool y4m_keeps_yuv(const VideoFormat& format) {
  const ColourMatrix matrix = format.upright_height() >= first_hd_height ? ColourMatrix::bt709 : ColourMatrix::bt601;
  return !format.full_range && format.matrix == matrix;
}

std::unique_ptr<FileOutput> open_y4m_output(const RecordingSettings& settings, AVRational rate,
                                            const Interrupt& interrupt) {
  return std::make_unique<Y4mOutput>(settings, rate, interrupt);
}

}  // namespace convoscope
