// What is played: files, y4m on a pipe, playlists.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "app/media/play/player.h"
#include "app/media/read/playlist.h"
#include "app/media/write/whole_file.h"
#include "kernels/text/error.h"
#include "tests/fuzz/target.h"
#include "tests/media/made_stills.h"

namespace convoscope::fuzz {
namespace {

constexpr int most_frames = 12;
constexpr std::int64_t most_pixels = 1 << 20;

// The file that ffmpeg makes with these options; nothing where it cannot (another build of it).
std::string made(const Place& place, const std::string& name, const std::string& options) {
  const std::string path = place / ("made-" + name);
  const std::string command =
      "ffmpeg -nostdin -v quiet -y -f lavfi -i testsrc=size=64x48:rate=10:duration=1 " + options + " '" + path + "'";
  return std::system(command.c_str()) == 0 ? read_file(path) : std::string();
}

std::vector<std::string> made_clips(const Place& place) {
  std::vector<std::string> clips;
  for (const auto& [name, options] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a.mp4", "-c:v libx264 -pix_fmt yuv420p -g 4"},
           {"b.mp4", "-c:v mpeg4 -movflags +faststart"},
           {"c.mkv", "-c:v ffv1 -metadata convoscope={}"},
           {"d.webm", "-c:v libvpx -b:v 50k"},
           {"e.avi", "-c:v mjpeg"},
           {"f.ts", "-c:v mpeg2video"},
           {"g.gif", "-c:v gif"},
           {"h.png", "-frames:v 1 -update 1"},
           {"i.jpg", "-frames:v 1 -update 1"},
           {"j.bmp", "-frames:v 1 -update 1"},
           {"k.tiff", "-frames:v 1 -update 1"},
           {"l.y4m", "-frames:v 3 -pix_fmt yuv420p"},
           {"m.mov", "-c:v rawvideo -pix_fmt uyvy422 -frames:v 2"},
           {"n.webp", "-frames:v 1"},
           {"o.ppm", "-frames:v 1 -update 1"},
           {"p.mp4", "-vf transpose -c:v libx264 -bf 2 -metadata:s:v rotate=90"}})
    if (std::string clip = made(place, name, options); !clip.empty()) clips.push_back(std::move(clip));
  return clips;
}

// One of each kind that goes through the door to still pictures, and of each way in which it may be stored.
std::vector<std::string> made_stills(const Place& place) {
  using namespace test;
  std::vector<std::string> stills{made_webp(20, 12, 6),
                                  made_webp(20, 12, 0, 3),
                                  made_psd({.width = 20, .height = 12}),
                                  made_psd({.width = 20, .height = 12, .bits = 16, .packed = false, .alpha = true}),
                                  made_radiance(20, 12),
                                  made_radiance(20, 12, "+X 12 -Y 20")};
  const std::string path = (place / "made-still").string();
  const auto keep = [&] { stills.push_back(read_file(path)); };
  for (const TiffChoice& choice : std::initializer_list<TiffChoice>{
           {.width = 20, .height = 12},
           {.width = 20, .height = 12, .bits = 16, .tiled = true},
           {.width = 20, .height = 12, .tiled = true, .jpeg = true},
           {.width = 20, .height = 12, .bits = 32, .bigtiff = true, .pages = 2},
           {.width = 20, .height = 12, .reversed_bits = true, .bilevel = true, .orientation = 6},
           {.width = 20, .height = 12, .separate = true, .alpha = true}})
    make_tiff(path, choice), keep();
  make_exr(path, {{}}, 20, 12), keep();
  make_exr(path, {{.name = "depth", .depth_only = true}, {.layer = "beauty"}}, 20, 12), keep();
  for (const bool av1 : {true, false})
    if (make_heif(path, av1, 32, 16)) keep();
  return stills;
}

void check_sentence(const std::string& text) {
  if (text.empty() || !(text.ends_with('.') || text.ends_with('?')))
    throw Failure{"this is no sentence: '" + text + "'"};
}

void play(const std::string& input) {
  SourceSettings source;
  source.input = input;
  source.max_pixels = most_pixels;
  PlaybackSettings once;
  once.loop = false;
  const auto player = Player::open(source, {}, Pace::every);
  for (int part = 0; part < 2; ++part) {
    for (int frames = 0; frames < most_frames && !player->stats().ended;)
      if (const std::optional<VideoFrame> frame = player->next_frame(once)) {
        ++frames;
        const std::int64_t pixels = std::int64_t{frame->format.width} * frame->format.height;
        if (pixels <= 0 || pixels > most_pixels) throw Failure{"a picture of " + std::to_string(pixels) + " pixels"};
        volatile auto last = frame->planes[0] ? *static_cast<const unsigned char*>(frame->planes[0]) : 0;
        static_cast<void>(last);
      }
    while (const std::optional<std::string> error = player->take_error()) check_sentence(*error);
    player->seek_seconds(0.35);
  }
}

void play_bytes(const std::string& input, const Place& place) {
  const Place file = place / "input";  // its name does not help to guess what it is
  write_file(file, input);
  play(file);
}

// y4m on standard input, as `convoscope filter -` reads it.
void read_from_pipe(const std::string& input, const Place&) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure{"no pipe"};
  std::signal(SIGPIPE, SIG_IGN);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  std::jthread writer([&input, to = ends[1]] {
    for (std::size_t done = 0; done < input.size();) {
      const ssize_t count = ::write(to, input.data() + done, input.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    ::close(to);
  });
  try {
    Interrupt interrupt;
    WholeFileSettings settings;
    settings.input = "-";
    settings.output = "unused.y4m";
    settings.max_pixels = most_pixels;
    const auto file = WholeFile::open(settings, interrupt);
    VideoFrame frame;
    PictureMoment moment;
    for (int frames = 0; frames < most_frames && file->read(frame, moment);) ++frames;
  } catch (const Error& error) {
    check_sentence(error.what());
  }
  ::close(STDIN_FILENO);  // a writer that is not through is told so
}

std::vector<std::string> made_y4m(const Place& place) {
  std::vector<std::string> pipes;
  for (const char* format : {"yuv420p", "yuv444p", "yuv422p10", "gray"})
    if (std::string pipe = made(place, "pipe.y4m", std::string("-strict -1 -frames:v 3 -s 16x8 -pix_fmt ") + format);
        !pipe.empty())
      pipes.push_back(std::move(pipe));
  return pipes;
}

std::vector<std::string> playlists(const Place& place) {
  write_file(place / "a.ts", made(place, "a.ts", "-c:v mpeg2video"));
  return {"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.0,\na.ts\n#EXT-X-ENDLIST\n",
          "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=64x48\nlist.m3u8\n",
          "#EXTM3U\n#EXT-X-MAP:URI=\"a.ts\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXTINF:1,\na.ts\n",
          "ffconcat version 1.0\nfile 'a.ts'\nduration 0.5\nfile a.ts\ninpoint 0.1\n",
          "<?xml version=\"1.0\"?>\n<MPD><Period><BaseURL>a.ts</BaseURL></Period></MPD>\n"};
}

void open_playlist(const std::string& input, const Place& place) {
  const Place list = place / "list.m3u8";
  write_file(list, input);
  for (const auto& member : playlist_members(list)) is_below(member, list);
  bool refused = false;
  for (const bool trusted : {false, true}) try {
      check_playlist(list, trusted);
    } catch (const Error& error) {
      check_sentence(error.what());
      refused = true;
    }
  if (!refused) play(list);
}

}  // namespace

std::vector<Target> media_targets() {
  return {
      {.name = "media", .ending = ".media", .seeds = made_clips, .run = play_bytes, .longest = 1 << 18},
      {.name = "still",
       .ending = ".still",
       .seeds = made_stills,
       .run = play_bytes,
       .words = {"RIFF",        "VP8X",    "VP8L",       "ANMF",     "EXIF",       "8BIM",          "8BPS",
                 "-Y 12 +X 20", "FORMAT=", "#?RADIANCE", "ispe",     "grid",       "irot",          "imir",
                 "clap",        "av1C",    "hvcC",       "channels", "dataWindow", "displayWindow", "tiles"},
       .longest = 1 << 16},
      {.name = "y4m",
       .ending = ".y4m",
       .seeds = made_y4m,
       .run = read_from_pipe,
       .words = {"YUV4MPEG2", "FRAME", "W16", "H8",   "W0",   "H0",   "W-1",  "W1048576", "H1048576", "F25:1",   "F0:0",
                 "F1:0",      "Ip",    "It",  "A0:0", "A1:1", "C420", "C444", "C422p10",  "Cmono",    "C420p16", "Cx"}},
      {.name = "playlist",
       .ending = ".m3u8",
       .seeds = playlists,
       .run = open_playlist,
       .words = {"#EXTM3U", "ffconcat", "file", "a.ts", "list.m3u8", "../a.ts", "/dev/zero", "file:///etc/passwd",
                 "#EXT-X-MAP:URI=\"", "#EXT-X-ENDLIST", "#EXTINF:1,", "<MPD", "<AssetMap", "option", "inpoint",
                 "outpoint", "duration", "stream", "%61.ts"}}};
}

}  // namespace convoscope::fuzz
