// An address that FFmpeg reads from a network: https://…, rtsp://…
#include <algorithm>

#include "app/media/ffmpeg/media_input.h"
#include "app/media/read/local_files.h"
#include "app/media/sources/source.h"

namespace convoscope {
namespace {

bool names_address(const std::string& input) { return input.find("://") != std::string::npos; }

// "concat:a|b", "async:file:///a": whatever comes after a colon or a bar may be a path.
std::vector<std::filesystem::path> parts_on_disk(const std::string& address) {
  std::vector<std::filesystem::path> found;
  for (std::size_t begin = 0; begin <= address.size();) {
    const std::size_t end = std::min(address.find('|', begin), address.size());
    const std::string part = address.substr(begin, end - begin);
    for (std::size_t at = 0; at != std::string::npos; at = part.find(':', at)) {
      if (at > 0) ++at;
      if (const std::string path = local_path(part.substr(at)); is_on_disk(path)) found.emplace_back(path);
      if (at == 0) at = 1;
    }
    begin = end + 1;
  }
  return found;
}

std::string why_not_rtp(const std::string& name, int status) {
  if (status != AVERROR_INVALIDDATA && status != AVERROR_PATCHWELCOME) return "";
  return "'" + name +
         "' sends RTP whose packets do not say what they hold. Its sender has a description of it, a file that ends in "
         ".sdp: open that one with --trust-playlists.";
}

MediaInput address_media(const SourceSettings& settings) {
  MediaInput media;
  media.from = MediaInput::From::network;
  media.address = settings.input;
  media.may_stall = true;
  media.set("rw_timeout", std::to_string(answer_patience) + "000");
  media.set("rtsp_flags", "prefer_tcp");
  if (settings.input.starts_with("rtp://")) media.why_not = why_not_rtp;
  return media;
}

}  // namespace

extern const Source address_source{
    .kind = {.id = "address",
             .title = "Address",
             .form = "a URL",
             .help = "Whatever FFmpeg reads from a network: https, rtsp and others.",
             .named = names_address},
    .takes = [](const std::string& input) { return names_address(input) && !input.starts_with("file:"); },
    .open = open_file_reader,
    .media = address_media,
    .files = parts_on_disk,
    .comes_back = true,
};

}  // namespace convoscope
