// A video, a picture or a playlist on the disk; and whatever no other source takes.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/ffmpeg/media_input.h"
#include "app/media/ffmpeg/stream_choice.h"
#include "app/media/read/local_files.h"
#include "app/media/read/playlist.h"
#include "app/media/sound/sound_picture.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

// A name without a folder, of which there is none any more.
bool leads_nowhere(const std::string& path) {
  std::error_code gone;
  static_cast<void>(fs::current_path(gone));
  return gone && fs::path(path).is_relative();
}

std::string why_nowhere(const std::string& path) {
  return "The folder that the program was started in was deleted, so that '" + path +
         "' leads nowhere. Go to a folder that is there (cd), or give the whole path.";
}

std::string why_no_file(const SourceSettings& settings) {
  const std::string path = local_path(settings.input), name = "'" + path + "'";
  if (leads_nowhere(path)) return why_nowhere(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return "There is no file " + name + ". INPUT is one of: " + input_forms(known_sources()) + ".";
  if (error) return "The file " + name + " cannot be read: " + error.message() + ".";
  if (::access(path.c_str(), R_OK) != 0) return "You have no permission to read " + name + ".";
  if (fs::is_regular_file(status) && fs::file_size(path, error) == 0 && !error)
    return "The file " + name + " is empty.";
  return {};
}

// FFmpeg's file protocol would wait for ever for a pipe's writer, and explains little.
void check_file(const std::string& path) {
  struct stat status {};
  if (leads_nowhere(path)) throw Error(why_nowhere(path));
  if (::stat(path.c_str(), &status) != 0) throw Error(why_not_readable(path, AVERROR(errno)));
  if (S_ISDIR(status.st_mode)) throw Error("'" + path + "' is a folder. Choose a file in it.");
  if (!S_ISREG(status.st_mode))
    throw Error("'" + path + "' is a pipe, a socket or a device, not a file. Copy the video into a file first.");
  if (::access(path.c_str(), R_OK) != 0) throw Error(why_not_readable(path, AVERROR(errno)));
  if (status.st_size == 0) throw Error("'" + path + "' is empty (0 bytes). Choose another file.");
}

// A description of a stream that comes by RTP, as its sender writes it.
bool is_stream_description(const std::string& path) {
  constexpr std::streamsize enough = 4096;
  std::string text(enough, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), enough);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text.find('\0') == std::string::npos && text.find("\nm=") != std::string::npos &&
         text.find("\nc=IN IP") != std::string::npos;
}

// It names addresses, as a playlist may, and is all that it takes to open them.
MediaInput described_media(const SourceSettings& settings, const std::string& path) {
  if (!settings.trust_playlists)
    throw Error("'" + path +
                "' describes a stream that comes over the network (SDP), and a file opens no address unasked. If you "
                "trust it, give --trust-playlists.");
  MediaInput media;
  media.from = MediaInput::From::network;
  media.address = "file:" + path;
  media.format = require_format("sdp", "descriptions of streams");
  media.set("protocol_whitelist", "file,rtp,udp");
  media.may_stall = true;
  return media;
}

MediaInput file_media(const SourceSettings& settings) {
  MediaInput media;
  media.path = local_path(settings.input);
  check_file(media.path);
  if (is_stream_description(media.path)) return described_media(settings, media.path);
  CheckedPlaylist playlist = check_playlist(media.path, settings.trust_playlists);
  media.address = "file:" + media.path;         // a colon in the name is no protocol
  media.set("pattern_type", "none");            // a percent sign in it is no number's place
  media.may_stall = !playlist.members.empty();  // while it has no end FFmpeg waits for more of it
  media.script = std::move(playlist.script);
  if (media.script) media.format = require_format("concat", "lists of files");
  return media;
}

std::unique_ptr<FrameReader> open_file_or_sound(const ReaderOptions& options, Interrupt& interrupt) {
  try {
    return open_file_reader(options, interrupt);
  } catch (const SoundAlone&) {
    return open_sound_picture(options, interrupt);
  }
}

std::vector<fs::path> file_and_members(const std::string& input) {
  const std::string path = local_path(input);
  if (path.empty() || !is_on_disk(path)) return {};
  std::vector<fs::path> files = playlist_members(path);
  files.insert(files.begin(), path);
  return files;
}

}  // namespace

extern const Source file_source{
    .kind = {.id = "file",
             .title = "File",
             .form = "a file",
             .help = "A video, a picture, an animation, sound or a playlist: whatever FFmpeg reads. Of sound alone the "
                     "waveform is the picture."},
    .takes = [](const std::string&) { return true; },
    .check = why_no_file,
    .open = open_file_or_sound,
    .media = file_media,
    .files = file_and_members,
    .has_sound = true,
};

}  // namespace convoscope
