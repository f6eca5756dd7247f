#include "app/media/demuxer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

#include "app/media/camera.h"
#include "app/media/ffmpeg_error.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

constexpr int patience = 10'000;  // milliseconds a network or a camera may take for an answer

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

// A name with a place for the number, such as frame%04d.png.
bool is_sequence(const std::string& input) {
  for (std::size_t at = 0; (at = input.find('%', at)) != std::string::npos;) {
    at = input.find_first_not_of("0123456789", at + 1);
    if (at == std::string::npos) break;
    if (input[at] == 'd') return !exists(input);
  }
  return false;
}

// FFmpeg's file protocol would wait for ever for a pipe's writer, and explains little.
void check_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw Error(why_not_readable(path, AVERROR(errno)));
  if (S_ISDIR(status.st_mode)) throw Error("'" + path + "' is a folder. Choose a file in it.");
  if (!S_ISREG(status.st_mode))
    throw Error("'" + path + "' is a pipe, a socket or a device, not a file. Copy the video into a file first.");
  if (::access(path.c_str(), R_OK) != 0) throw Error(why_not_readable(path, AVERROR(errno)));
  if (status.st_size == 0) throw Error("'" + path + "' is empty (0 bytes). Choose another file.");
}

void set(AVDictionary*& options, const char* name, const std::string& value) {
  av_dict_set(&options, name, value.c_str(), 0);
}

std::string size_text(const SourceSettings& source) {
  return std::to_string(source.width) + "x" + std::to_string(source.height);
}

const AVInputFormat* require_format(const char* name, const char* what) {
  const AVInputFormat* format = av_find_input_format(name);
  if (!format)
    throw Error(std::string("The FFmpeg on this machine cannot read ") + what + " (it has no '" + name +
                "'). Install FFmpeg with libavdevice, or choose a file.");
  return format;
}

}  // namespace

SourceKind kind_of(const std::string& input) {
  const auto named = [&](const std::string& word) { return input == word || input.starts_with(word + ":"); };
  if (named("pattern") && !exists(input)) return SourceKind::pattern;
  if (named("camera") && !exists(input)) return SourceKind::camera;
  if (input == "screen" && !exists(input)) return SourceKind::screen;
  if (input.starts_with("/dev/video")) return SourceKind::camera;
  if (input.find("://") != std::string::npos && !input.starts_with("file:")) return SourceKind::address;
  return is_sequence(input) ? SourceKind::sequence : SourceKind::file;
}

Demuxer::Demuxer(const SourceSettings& source, Interrupt& interrupt, bool whole_file)
    : name_(source.input), interrupt_(interrupt), kind_(kind_of(source.input)), whole_file_(whole_file) {
  prepare_ffmpeg();
  open(source);
}

void Demuxer::set_deadline() {
  const bool may_block = kind_ == SourceKind::address || kind_ == SourceKind::camera;
  interrupt_.deadline = may_block ? Interrupt::now() + patience : 0;
}

void Demuxer::open(const SourceSettings& source) {
  std::string address = source.input;
  const AVInputFormat* format = nullptr;
  AVDictionary* options = nullptr;
  const std::string rate = source.rate > 0 ? std::to_string(source.rate) : "";
  switch (kind_) {
    case SourceKind::file:
      if (whole_file_ && address == "-") {
        name_ = "standard input";
        address = "pipe:0";
        format = require_format("yuv4mpegpipe", "y4m");
        break;
      }
      check_file(address.starts_with("file://") ? address = address.substr(7) : address);
      address = "file:" + address;  // a colon in the name is no protocol
      break;
    case SourceKind::sequence:
      format = require_format("image2", "image sequences");
      set(options, "start_number_range", "100000");
      set(options, "framerate", rate.empty() ? "25" : rate);
      break;
    case SourceKind::address:
      set(options, "rw_timeout", std::to_string(patience) + "000");
      set(options, "rtsp_flags", "prefer_tcp");
      break;
    case SourceKind::camera:
      format = require_format("video4linux2", "cameras");
      address = camera_path(source.input);
      if (!source.camera_format.empty()) set(options, "input_format", source.camera_format);
      if (source.width > 0 && source.height > 0) set(options, "video_size", size_text(source));
      if (!rate.empty()) set(options, "framerate", rate);
      break;
    case SourceKind::screen: {
      const char* display = std::getenv("DISPLAY");
      if (!display || !*display)
        throw Error("There is no X11 screen to record: DISPLAY is not set. Start the program in a desktop session.");
      format = require_format("x11grab", "the screen");
      address = display;
      set(options, "framerate", rate.empty() ? "30" : rate);
      if (source.width > 0 && source.height > 0) set(options, "video_size", size_text(source));
      break;
    }
    case SourceKind::pattern:
      throw std::logic_error("the pattern is not demuxed");
  }

  AVFormatContext* raw = avformat_alloc_context();
  if (!raw) throw std::bad_alloc();
  raw->interrupt_callback = {interrupted, &interrupt_};
  if (kind_ == SourceKind::camera) raw->flags |= AVFMT_FLAG_NONBLOCK;  // a camera that stalls must not hold us
  if (kind_ == SourceKind::file || kind_ == SourceKind::sequence) raw->flags |= AVFMT_FLAG_GENPTS;
  set_deadline();
  int status = avformat_open_input(&raw, address.c_str(), format, &options);
  av_dict_free(&options);
  if (status < 0) {
    if (kind_ == SourceKind::camera && status == AVERROR(EINVAL))
      throw Error("The camera '" + name_ + "' does not offer this format, size or rate. Choose one from its list.");
    if (kind_ == SourceKind::sequence && status == AVERROR(ENOENT))
      throw Error("There is no picture named like '" + name_ + "'. Check the folder and the number of digits.");
    throw Error(why_not_readable(name_, status));
  }
  format_.reset(raw);

  const std::string demuxer = raw->iformat->name;
  // Devices say all they know at once; and any text would pass for the picture of a terminal.
  if (demuxer == "tty") throw Error(why_not_readable(name_, AVERROR_INVALIDDATA));
  if (kind_ != SourceKind::camera && kind_ != SourceKind::screen) {
    status = avformat_find_stream_info(raw, nullptr);
    if (status < 0) throw Error(why_not_readable(name_, status));
  }
  const int best = av_find_best_stream(raw, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (best < 0 || raw->streams[best]->disposition & AV_DISPOSITION_ATTACHED_PIC)
    throw Error("'" + name_ + "' has no video" + (raw->nb_streams > 0 ? ", only other data such as sound" : "") +
                ". Choose another file.");
  stream_ = raw->streams[best];
  for (unsigned i = 0; i < raw->nb_streams; ++i)
    if (static_cast<int>(i) != best && !(whole_file_ && raw->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO))
      raw->streams[i]->discard = AVDISCARD_ALL;

  still_ = kind_ == SourceKind::file && (demuxer.ends_with("_pipe") || demuxer == "image2");
  const bool known_end = raw->duration != AV_NOPTS_VALUE && raw->duration > 0;
  live_ = kind_ == SourceKind::camera || kind_ == SourceKind::screen || (kind_ == SourceKind::address && !known_end);
  seekable_ =
      !live_ && !still_ && (!raw->pb || raw->pb->seekable & AVIO_SEEKABLE_NORMAL || kind_ == SourceKind::address);
}

int Demuxer::read(AVPacket& packet) {
  set_deadline();
  while (true) {
    const int status = av_read_frame(format_.get(), &packet);
    if (status == AVERROR(EAGAIN)) {
      if (interrupted(&interrupt_)) return AVERROR_EXIT;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      continue;
    }
    if (status < 0) return status;
    if (packet.stream_index == stream_->index) return 0;
    if (whole_file_ && format_->streams[packet.stream_index]->discard != AVDISCARD_ALL) return 0;
    av_packet_unref(&packet);
    if (interrupt_.stop) return AVERROR_EXIT;
  }
}

bool Demuxer::seek(std::int64_t timestamp) {
  set_deadline();
  return av_seek_frame(format_.get(), stream_->index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0;
}

}  // namespace convoscope
