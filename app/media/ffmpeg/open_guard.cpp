#include "app/media/ffmpeg/open_guard.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>

#include "app/files/paths.h"
#include "app/media/read/playlist.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* local_protocols = "file,crypto,data";
// Of what a list on a server names.
constexpr const char* remote_protocols = "http,https,httpproxy,tcp,tls,crypto,data";

// These open files by themselves, or through contexts of their own, where nobody is asked.
constexpr std::string_view name_files[] = {"concat", "imf", "vobsub", "avisynth", "vapoursynth"};
constexpr std::string_view name_local_files[] = {"dash"};
// And these through whoever opened them: that is nobody within a script.
constexpr std::string_view ask_for_files[] = {"hls", "applehttp", "mlv", "sdp", "rtsp", "rtp", "sap"};

bool is_device(const AVInputFormat& format) {
  return format.priv_class && AV_IS_INPUT_DEVICE(format.priv_class->category);
}

bool is_named(std::string_view format, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return av_match_name(std::string(name).c_str(), std::string(format).c_str()) != 0;
  });
}

enum class Within { file, script, script_of_patterns, network };

bool is_read(const AVInputFormat& format, Within where) {
  if (is_device(format) || is_named(format.name, name_files)) return false;
  if (where == Within::network) return true;
  if (is_named(format.name, name_local_files)) return false;
  if (where == Within::file) return true;
  // A % in a name is a pattern for it.
  return !is_named(format.name, ask_for_files) &&
         (where != Within::script_of_patterns || std::string_view(format.name) != "image2");
}

std::string list_formats(Within where) {
  std::string all;
  void* at = nullptr;
  while (const AVInputFormat* const format = av_demuxer_iterate(&at))
    if (is_read(*format, where)) all += (all.empty() ? "" : ",") + std::string(format->name);
  return all;
}

const std::string& formats_read(Within where) {  // they are hundreds, and always the same
  static const std::array<std::string, 4> known{list_formats(Within::file), list_formats(Within::script),
                                                list_formats(Within::script_of_patterns),
                                                list_formats(Within::network)};
  return known.at(static_cast<std::size_t>(where));
}

// The protocol that FFmpeg would take for it, "file" for a path.
std::string_view protocol_of(const std::string& url) {
  const char* const name = avio_find_protocol_name(url.c_str());
  return name ? name : "";
}

}  // namespace

OpenGuard::~OpenGuard() {
  if (script_) av_freep(&script_->buffer);
  avio_context_free(&script_);
}

void OpenGuard::attach(AVFormatContext& context, AVDictionary*& options) {
  context.opaque = this;
  context.io_open = open;
  if (is_local()) av_dict_set(&options, "protocol_whitelist", local_protocols, 0);
  if (!trusted_ && !input_.format)
    av_dict_set(&options, "format_whitelist", formats_read(is_local() ? Within::file : Within::network).c_str(), 0);
  if (!input_.script) return;
  // FFmpeg's own rules for names look at what is written, ours at where it leads.
  av_dict_set(&options, "safe", "0", 0);
  use_script(context);
}

void OpenGuard::use_script(AVFormatContext& context) {
  constexpr int bytes = 4096;
  auto* const buffer = static_cast<unsigned char*>(av_malloc(bytes));
  if (buffer) script_ = avio_alloc_context(buffer, bytes, 0, this, read_script, nullptr, seek_script);
  if (!script_) {
    av_free(buffer);
    throw std::bad_alloc();
  }
  guarded_ = &context;
  context.pb = script_;
}

// What a script names is opened by contexts that inherit nothing but protocols and formats of this one. When the script
// is first read this one is known to be `concat`; whatever is opened later must be no list.
int OpenGuard::read_script(void* opaque, std::uint8_t* to, int most) {
  OpenGuard& self = *static_cast<OpenGuard*>(opaque);
  const std::string& script = *self.input_.script;
  if (self.guarded_ && !self.trusted_) try {
      const bool patterns = script.find('%') != std::string::npos;
      char* const formats = av_strdup(formats_read(patterns ? Within::script_of_patterns : Within::script).c_str());
      if (!formats) return AVERROR(ENOMEM);
      av_freep(&self.guarded_->format_whitelist);
      self.guarded_->format_whitelist = formats;
    } catch (...) {  // must not travel through FFmpeg's C
      return AVERROR(ENOMEM);
    }
  self.guarded_ = nullptr;
  const auto left = static_cast<std::int64_t>(script.size()) - self.script_at_;
  if (left <= 0) return AVERROR_EOF;
  const int given = static_cast<int>(std::min<std::int64_t>(left, most));
  std::memcpy(to, script.data() + self.script_at_, static_cast<std::size_t>(given));
  self.script_at_ += given;
  return given;
}

std::int64_t OpenGuard::seek_script(void* opaque, std::int64_t offset, int whence) {
  OpenGuard& self = *static_cast<OpenGuard*>(opaque);
  const auto size = static_cast<std::int64_t>(self.input_.script->size());
  if (whence == AVSEEK_SIZE) return size;
  const std::int64_t to = offset + (whence == SEEK_CUR ? self.script_at_ : whence == SEEK_END ? size : 0);
  if (to < 0 || to > size) return AVERROR(EINVAL);
  return self.script_at_ = to;
}

int OpenGuard::open(AVFormatContext* context, AVIOContext** io, const char* url, int flags, AVDictionary** options) {
  Answer answer;
  try {
    answer = static_cast<OpenGuard*>(context->opaque)->look_at(url);
  } catch (...) {  // must not travel through FFmpeg's C
    return AVERROR(ENOMEM);
  }
  if (answer.status < 0) return answer.status;
  AVDictionary* own = nullptr;
  AVDictionary** const used = options ? options : &own;
  if (!answer.protocols.empty()) av_dict_set(used, "protocol_whitelist", answer.protocols.c_str(), 0);
  const int status = avio_open2(io, answer.address.c_str(), flags, &context->interrupt_callback, used);
  av_dict_free(&own);
  return status;
}

OpenGuard::Answer OpenGuard::look_at(const std::string& url) {
  if (is_local()) return look_at_local(url);
  return url == input_.address ? Answer{0, url, ""} : look_at_remote(url);
}

// The address that is opened is made of the path that was looked at, so that it cannot be read in another way.
OpenGuard::Answer OpenGuard::look_at_local(std::string url) {
  if (url.starts_with("data:")) return {0, url, "data"};
  std::string wrapper;
  if (url.starts_with("crypto+") || url.starts_with("crypto:")) {  // parts of HLS that are encrypted
    wrapper = "crypto:";
    url.erase(0, wrapper.size());
  }
  const std::string path = url.starts_with("file:") ? url.substr(5) : url;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {is_address(url) ? AVERROR_INVALIDDATA : AVERROR(errno), "", ""};
  if (S_ISDIR(status.st_mode)) return {AVERROR(EISDIR), "", ""};
  if (!S_ISREG(status.st_mode)) {  // a pipe would be waited for
    if (refusal_.empty()) refusal_ = why_not_a_file(input_.path.empty() ? input_.address : input_.path, path);
    return {AVERROR_INVALIDDATA, "", ""};
  }
  const bool anywhere = trusted_ || input_.from == MediaInput::From::pictures;
  if (!anywhere && !is_below(path, input_.path)) {
    if (refusal_.empty()) refusal_ = why_outside(input_.path, path);
    return {AVERROR_INVALIDDATA, "", ""};
  }
  std::error_code gone;
  const fs::path target = fs::canonical(path, gone);
  if (gone) return {AVERROR(ENOENT), "", ""};
  return {0, wrapper + "file:" + target.string(), local_protocols};
}

// What comes from a network names nothing of this machine.
OpenGuard::Answer OpenGuard::look_at_remote(const std::string& url) {
  std::string inner = url;
  if (inner.starts_with("crypto+") || inner.starts_with("crypto:")) inner.erase(0, std::strlen("crypto:"));
  const std::string_view protocol = protocol_of(inner);
  if (protocol == "http" || protocol == "https" || protocol == "data") return {0, url, remote_protocols};
  if (refusal_.empty())
    refusal_ = "'" + printable(input_.address) + "' names '" + printable(url) +
               "'. A list from a network may name only addresses that begin with http:// or https://.";
  return {AVERROR_INVALIDDATA, "", ""};
}

std::string OpenGuard::why_not_read() const {
  if (trusted_ || input_.format || input_.from != MediaInput::From::file) return "";
  AVIOContext* io = nullptr;
  if (avio_open2(&io, input_.address.c_str(), AVIO_FLAG_READ, nullptr, nullptr) < 0) return "";
  const Owned<AVIOContext> owner(io);
  const AVInputFormat* format = nullptr;
  if (av_probe_input_buffer2(io, &format, input_.address.c_str(), nullptr, 0, 0) < 0 || !format) return "";
  if (is_read(*format, Within::file)) return "";
  return "'" + printable(input_.path) + "' is a manifest (" + format->name +
         "), which may name any file of this machine." + trust_remedy;
}

}  // namespace convoscope
