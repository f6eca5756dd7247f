#include "app/media/ffmpeg/ffmpeg_error.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

#include "app/files/log.h"
#include "app/files/sentence.h"
#include "app/files/shortage.h"
#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/lost_pictures.h"
#include "app/media/read/playlist.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

thread_local int demuxer_errors = 0;

thread_local std::optional<RefusedSize> refused_size;

void note_refused_size(const char* format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  char text[128];
  std::vsnprintf(text, sizeof text, format, copy);
  va_end(copy);
  unsigned width = 0, height = 0;
  if (std::sscanf(text, "Picture size %ux%u", &width, &height) != 2) return;
  constexpr unsigned most = INT_MAX;
  refused_size = {static_cast<int>(std::min(width, most)), static_cast<int>(std::min(height, most))};
}

bool is_demuxer(void* context) {
  const AVClass* const its = context ? *static_cast<const AVClass* const*>(context) : nullptr;
  return its && (its->get_category ? its->get_category(context) : its->category) == AV_CLASS_CATEGORY_DEMUXER;
}

void note_decoder_error(void* context, std::string_view format) {
  if (!context || *static_cast<const AVClass* const*>(context) != avcodec_get_class()) return;
  const auto& its = *static_cast<const AVCodecContext*>(context);
  // What cameras write beside the picture is no part of it.
  if (!its.opaque || !av_codec_is_decoder(its.codec)) return;
  if (format.starts_with("unable to decode APP fields") || format.find("EXIF") != std::string_view::npos) return;
  try {
    static_cast<HearsErrors*>(its.opaque)->hear_error(packet_number(its));
  } catch (...) {  // must not travel through FFmpeg's C
  }
}

void log_to_ours(void* context, int level, const char* format, va_list arguments) {
  if (level <= AV_LOG_ERROR && is_demuxer(context)) ++demuxer_errors;
  if (level <= AV_LOG_ERROR) note_decoder_error(context, format);
  if (std::string_view(format).starts_with("Picture size %ux%u")) note_refused_size(format, arguments);
  if (level > AV_LOG_INFO || !log::says(log::Level::debug)) return;
  // FFmpeg writes a line in pieces; only whole lines are handed on.
  thread_local std::string line;
  thread_local int print_prefix = 1;
  char text[1024];
  av_log_format_line2(context, level, format, arguments, text, sizeof text, &print_prefix);
  line += text;
  if (line.empty() || line.back() != '\n') return;
  line.pop_back();
  try {
    log::debug("FFmpeg: " + line);
  } catch (...) {  // must not travel through FFmpeg's C
  }
  line.clear();
}

}  // namespace

void prepare_ffmpeg() {
  static std::once_flag once;
  std::call_once(once, [] {
    av_log_set_callback(log_to_ours);
    avdevice_register_all();
    avformat_network_init();
  });
}

int demuxer_errors_told() { return demuxer_errors; }

std::optional<RefusedSize> take_refused_size() { return std::exchange(refused_size, std::nullopt); }

std::string ffmpeg_text(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof text);
  return text;
}

std::string why_not_readable(const std::string& name, int code) {
  const std::string quoted = "'" + name + "'";
  switch (code) {
    case AVERROR(ENOENT):
      return "There is no " + quoted + ". Check the name and the folder.";
    case AVERROR(EACCES):
    case AVERROR(EPERM):
      return quoted + " may not be read: permission denied. Change its permissions, or choose another.";
    case AVERROR(ENODEV):
    case AVERROR(ENXIO):
      return quoted + " is not there: no such device. Plug it in, or choose another.";
    case AVERROR(EBUSY):
      return quoted + " is used by another program. Close that program, or choose another source.";
    case AVERROR(ENOMEM):
      return "There is not enough memory to open " + quoted +
             ". Close other programs; if that does not help, the file may be damaged: choose another.";
    case AVERROR_INVALIDDATA:
      if (std::string reason = why_not_playable_list(name); !reason.empty()) return reason;
      return quoted + " is not a video or picture that can be read, or it is damaged or cut off. Choose another file.";
    case AVERROR_EOF:
      return quoted + " ends before the first picture: it is empty or cut off. Choose another file.";
    case AVERROR_PROTOCOL_NOT_FOUND:
      return "The kind of address in " + quoted + " is not known to the FFmpeg on this machine. Check its beginning.";
    case AVERROR_DEMUXER_NOT_FOUND:
    case AVERROR_DECODER_NOT_FOUND:
      return quoted + " has a format that the FFmpeg on this machine cannot read. Convert it, for example to H.264.";
    case AVERROR_EXIT:
    case AVERROR(ETIMEDOUT):
      return quoted + " does not answer. Check the address and the network.";
    case AVERROR(ECONNREFUSED):
      return quoted + " refuses the connection. Check the address, and that the server is running.";
    case AVERROR_HTTP_NOT_FOUND:
      return "The server has no " + quoted + " (HTTP 404). Check the address.";
    case AVERROR_HTTP_FORBIDDEN:
    case AVERROR_HTTP_UNAUTHORIZED:
      return "The server does not allow reading " + quoted + ". Check the name and password.";
    default:
      return quoted + " cannot be read: " + ffmpeg_text(code) + ". Check it, or choose another source.";
  }
}

void check_threads(int code) {
  if (code == AVERROR(EAGAIN)) throw Error(why_no_thread());
}

}  // namespace convoscope
