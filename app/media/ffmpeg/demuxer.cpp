#include "app/media/ffmpeg/demuxer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <tuple>
#include <vector>

#include "app/media/ffmpeg/cut_off.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/read/camera.h"
#include "app/media/read/local_files.h"
#include "app/media/read/playlist.h"
#include "kernels/contract/error.h"

namespace convoscope {
namespace {

constexpr int answer_patience = 10'000;  // milliseconds a network or a camera may take for an answer

bool file_exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

// A name with a place for the number, such as frame%04d.png.
bool is_sequence(const std::string& input) {
  for (std::size_t at = 0; (at = input.find('%', at)) != std::string::npos;) {
    at = input.find_first_not_of("0123456789", at + 1);
    if (at == std::string::npos) break;
    if (input[at] == 'd') return !file_exists(input);
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

std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

std::string x11_display() {
  if (const char* display = std::getenv("DISPLAY"); display && *display) return display;
  if (const char* wayland = std::getenv("WAYLAND_DISPLAY"); wayland && *wayland)
    throw Error("The screen of a Wayland session cannot be recorded: only X11 screens can. Log in to an X11 session.");
  throw Error("There is no X11 screen to record: DISPLAY is not set. Start the program in a desktop session.");
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
  if (named("pattern") && !file_exists(input)) return SourceKind::pattern;
  if (named("camera") && !file_exists(input)) return SourceKind::camera;
  if (input == "screen" && !file_exists(input)) return SourceKind::screen;
  if (input.starts_with("/dev/video")) return SourceKind::camera;
  if (input.find("://") != std::string::npos && !input.starts_with("file:")) return SourceKind::address;
  return is_sequence(input) || is_image_list(input) ? SourceKind::sequence : SourceKind::file;
}

Demuxer::Demuxer(const SourceSettings& source, Interrupt& interrupt, Sound sound)
    : name_(source.input),
      interrupt_(interrupt),
      kind_(kind_of(source.input)),
      sound_(sound),
      trusted_(source.trust_playlists) {
  prepare_ffmpeg();
  open(source);
}

void Demuxer::set_deadline() {
  const bool may_block = kind_ == SourceKind::address || kind_ == SourceKind::camera || playlist_;
  interrupt_.deadline = may_block ? Interrupt::now() + answer_patience : 0;
}

void Demuxer::open(const SourceSettings& source) {
  std::string address = source.input;
  const AVInputFormat* format = nullptr;
  AVDictionary* options = nullptr;
  const auto release = [](AVDictionary** each) { av_dict_free(each); };
  const std::unique_ptr<AVDictionary*, decltype(release)> released(&options, release);  // also where this throws
  const std::string rate = source.rate > 0 ? std::to_string(source.rate) : "";
  switch (kind_) {
    case SourceKind::file:
      if (sound_ != Sound::none && address == "-") {
        name_ = "standard input";
        address = "pipe:0";
        format = require_format("yuv4mpegpipe", "y4m");
        break;
      }
      path_ = local_path(address);
      check_file(path_);
      check_playlist(path_, trusted_);
      playlist_ = !playlist_members(path_).empty();
      address = "file:" + path_;  // a colon in the name is no protocol
      break;
    case SourceKind::sequence:
      format = require_format("image2", "image sequences");
      set(options, "framerate", rate.empty() ? "25" : rate);
      if (is_image_list(address)) {  // read one by one here; FFmpeg opens the first to say what they are
        images_.emplace(address);
        address = images_->first();
        set(options, "pattern_type", "none");
      } else {
        set(options, "start_number_range", "100000");
      }
      break;
    case SourceKind::address:
      set(options, "rw_timeout", std::to_string(answer_patience) + "000");
      set(options, "rtsp_flags", "prefer_tcp");
      break;
    case SourceKind::camera:
      format = require_format("video4linux2", "cameras");
      address = set_camera(source, options);
      break;
    case SourceKind::screen:
      format = require_format("x11grab", "the screen");
      address = x11_display();
      set(options, "framerate", rate.empty() ? "30" : rate);
      if (source.width > 0 && source.height > 0) set(options, "video_size", size_text(source.width, source.height));
      break;
    case SourceKind::pattern:
      throw std::logic_error("the pattern is not demuxed");
  }

  int status = open_format(address, format, options);
  if (kind_ == SourceKind::screen && status < 0 && source.width > 0) {  // larger than the screen?
    av_dict_set(&options, "video_size", nullptr, 0);
    status = open_format(address, format, options);
  }
  if (status < 0) throw Error(why_not(status));
  AVFormatContext* const raw = format_.get();

  const std::string demuxer = raw->iformat->name;
  // Devices say all they know at once; and any text would pass for the picture of a terminal.
  if (demuxer == "tty") throw Error(why_not_readable(name_, AVERROR_INVALIDDATA));
  counts_bytes_ = demuxer == "yuv4mpegpipe";
  if (kind_ != SourceKind::camera && kind_ != SourceKind::screen) find_streams(source.max_pixels);
  const int best = av_find_best_stream(raw, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (best < 0 || raw->streams[best]->disposition & AV_DISPOSITION_ATTACHED_PIC)
    throw Error("'" + name_ + "' has no video" + (raw->nb_streams > 0 ? ", only other data such as sound" : "") +
                ". Choose another file.");
  stream_ = raw->streams[best];
  for (unsigned i = 0; i < raw->nb_streams; ++i)
    if (static_cast<int>(i) != best &&
        (sound_ == Sound::none || raw->streams[i]->codecpar->codec_type != AVMEDIA_TYPE_AUDIO))
      raw->streams[i]->discard = AVDISCARD_ALL;

  still_ = kind_ == SourceKind::file && (demuxer.ends_with("_pipe") || demuxer == "image2");
  const bool known_end = raw->duration != AV_NOPTS_VALUE && raw->duration > 0;
  live_ = kind_ == SourceKind::camera || kind_ == SourceKind::screen || (kind_ == SourceKind::address && !known_end);
  warning_ = images_ ? images_->note() : substitution(source);
  if (images_) {
    AVStream& stream = *raw->streams[best];
    stream.nb_frames = stream.duration = images_->size();
    raw->duration = av_rescale_q(images_->size(), stream.time_base, AV_TIME_BASE_Q);
  }
  seekable_ =
      !live_ && !still_ && (!raw->pb || raw->pb->seekable & AVIO_SEEKABLE_NORMAL || kind_ == SourceKind::address);
}

void Demuxer::find_streams(std::int64_t max_pixels) {
  if (sound_ == Sound::whole_file) {
    format_->flags |= AVFMT_FLAG_NOBUFFER;
    format_->probesize = format_->max_analyze_duration = INT64_MAX;
  }
  // FFmpeg decodes a picture to know its kind: one that is too large is left to the decoder, which says so.
  std::vector<AVDictionary*> options(format_->nb_streams);
  for (AVDictionary*& one : options) av_dict_set_int(&one, "max_pixels", max_pixels, 0);
  const int status = avformat_find_stream_info(format_.get(), options.data());
  for (AVDictionary*& one : options) av_dict_free(&one);
  if (status < 0) throw Error(why_not(status));
}

// What a file may make FFmpeg open: itself, and what a playlist or a sequence may name.
bool Demuxer::may_open(std::string url) const {
  if (url.starts_with("data:")) return true;
  for (const char* wrapper : {"crypto+", "crypto:"})
    if (url.starts_with(wrapper)) url.erase(0, std::string(wrapper).size());
  const std::string path = url.starts_with("file:") ? url.substr(5) : url;
  struct stat status {};
  const bool is_file = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);  // a pipe would be waited for
  return is_file && (trusted_ || kind_ == SourceKind::sequence || is_below(path, path_));
}

int Demuxer::open_url(AVFormatContext* context, AVIOContext** io, const char* url, int flags, AVDictionary** options) {
  try {
    if (!static_cast<const Demuxer*>(context->opaque)->may_open(url)) return AVERROR_INVALIDDATA;
  } catch (...) {  // must not travel through FFmpeg's C
    return AVERROR(ENOMEM);
  }
  AVDictionary* own = nullptr;
  AVDictionary** const used = options ? options : &own;
  av_dict_set(used, "protocol_whitelist", "file,crypto,data", 0);
  const int status = avio_open2(io, url, flags, &context->interrupt_callback, used);
  av_dict_free(&own);
  return status;
}

int Demuxer::open_format(const std::string& address, const AVInputFormat* format, const AVDictionary* options) {
  AVDictionary* left = nullptr;
  av_dict_copy(&left, options, 0);
  AVFormatContext* raw = avformat_alloc_context();
  if (!raw) throw std::bad_alloc();
  raw->interrupt_callback = {interrupted, &interrupt_};
  if (kind_ == SourceKind::camera) raw->flags |= AVFMT_FLAG_NONBLOCK;  // a camera that stalls must not hold us
  if (kind_ == SourceKind::file || kind_ == SourceKind::sequence) raw->flags |= AVFMT_FLAG_GENPTS;
  if (!path_.empty() || kind_ == SourceKind::sequence) {
    raw->opaque = this;
    raw->io_open = open_url;
  }
  set_deadline();
  const int status = avformat_open_input(&raw, address.c_str(), format, &left);
  av_dict_free(&left);
  if (status >= 0) format_.reset(raw);
  return status;
}

std::string Demuxer::set_camera(const SourceSettings& source, AVDictionary*& options) const {
  const CameraInfo camera = find_camera(source.input);
  if (!camera.problem.empty()) throw Error(camera.problem);
  SourceSettings asked = source;
  // A driver that is asked for a size in a format that does not have it silently gives another.
  if (const std::optional<CameraMode> mode = choose_mode(camera.modes, source))
    std::tie(asked.camera_format, asked.width, asked.height, asked.rate) =
        std::tie(mode->format, mode->width, mode->height, mode->rate);
  if (!asked.camera_format.empty()) set(options, "input_format", asked.camera_format);
  if (asked.width > 0 && asked.height > 0) set(options, "video_size", size_text(asked.width, asked.height));
  if (asked.rate > 0) set(options, "framerate", std::to_string(asked.rate));
  return camera.path;
}

std::string Demuxer::why_not(int status) const {
  if (kind_ == SourceKind::camera) {
    const int error = status == AVERROR_EXIT ? ETIMEDOUT : status == AVERROR_EOF ? ENODEV : AVUNERROR(status);
    if (const std::string sentence = why_no_camera(name_, error); !sentence.empty()) return sentence;
  }
  if (playlist_ && status == AVERROR_EXIT)
    return "The playlist '" + name_ + "' says nowhere that it ends (#EXT-X-ENDLIST), and nothing was added to it for " +
           std::to_string(answer_patience / 1000) + " seconds. Add that line if it is whole.";
  if (kind_ == SourceKind::screen && status == AVERROR(EIO))
    return "The X11 screen '" + std::string(std::getenv("DISPLAY")) +
           "' cannot be read: no X server answers there, or it does not let this program in. Check DISPLAY.";
  if (kind_ == SourceKind::sequence && status == AVERROR(ENOENT))
    return "There is no picture named like '" + name_ + "'. Check the folder and the number of digits.";
  if (live_ && status == AVERROR_EOF) return "'" + name_ + "' has ended or was cut.";
  if (kind_ == SourceKind::address && stream_ && (status == AVERROR(EIO) || status == AVERROR(ECONNRESET)))
    return "'" + name_ + "' was cut: the connection is lost. Check the network and the server.";
  // Its name and rights were looked at before: FFmpeg's demuxers give such codes for nonsense in a file.
  for (const int nonsense : {EPERM, EACCES, EBUSY, ENODEV, ENXIO, ENOENT})
    if (!path_.empty() && status == AVERROR(nonsense)) return why_not_readable(name_, AVERROR_INVALIDDATA);
  return why_not_readable(name_, status);
}

std::string Demuxer::substitution(const SourceSettings& asked) const {
  if (kind_ != SourceKind::camera && kind_ != SourceKind::screen) return "";
  const AVCodecParameters& got = *stream_->codecpar;
  const double rate = av_q2d(stream_->avg_frame_rate);
  const bool other_size = asked.width > 0 && (got.width != asked.width || got.height != asked.height);
  const bool other_rate = asked.rate > 0 && rate > 0 && std::abs(rate - asked.rate) > 0.01 * asked.rate;
  if (!other_size && !other_rate) return "";
  const auto mode_text = [](int width, int height, double frames) {
    char text[64];
    if (frames > 0)
      std::snprintf(text, sizeof text, "%d×%d at %.4g frames a second", width, height, frames);
    else
      std::snprintf(text, sizeof text, "%d×%d", width, height);
    return std::string(text);
  };
  const bool sized = asked.width > 0;
  return "'" + name_ + "' cannot give " +
         mode_text(sized ? asked.width : got.width, sized ? asked.height : got.height, asked.rate) + "; it gives " +
         mode_text(got.width, got.height, asked.rate > 0 ? rate : 0) + "." +
         (kind_ == SourceKind::camera ? " Its modes: convoscope list cameras, or the list Mode." : "");
}

int Demuxer::read(AVPacket& packet) {
  if (images_) return interrupt_.stop ? AVERROR_EXIT : images_->read(packet, stream_->index);
  set_deadline();
  while (true) {
    const int status = av_read_frame(format_.get(), &packet);
    if (status == AVERROR(EAGAIN)) {
      if (interrupted(&interrupt_)) return AVERROR_EXIT;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      continue;
    }
    if (status < 0) return status;
    if (counts_bytes_) whole_until_ = avio_tell(format_->pb);
    if (packet.stream_index == stream_->index) return 0;
    const AVStream& other = *format_->streams[packet.stream_index];  // one that has just appeared, maybe
    const bool sound = other.codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    if (sound_ != Sound::none && sound && other.discard != AVDISCARD_ALL) return 0;
    av_packet_unref(&packet);
    if (interrupt_.stop) return AVERROR_EXIT;
  }
}

bool Demuxer::cut_off() const {
  if (counts_bytes_ && avio_tell(format_->pb) > whole_until_) return true;
  return !path_.empty() && is_cut_off(path_);
}

bool Demuxer::seek(std::int64_t timestamp) {
  if (images_) {
    images_->go_to(timestamp);
    return true;
  }
  set_deadline();
  return av_seek_frame(format_.get(), stream_->index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0;
}

}  // namespace convoscope
