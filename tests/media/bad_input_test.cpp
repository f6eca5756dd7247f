// What cannot be played ends in a plain sentence, and the player can be used on; nothing hangs.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

extern "C" {
#include <libavutil/error.h>
}

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/read/camera.h"
#include "kernels/text/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string write(const std::string& name, const std::string& bytes) {
  const std::string path = clip_folder() + "/bad-" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}
std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  std::uint32_t state = 12345;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}
std::string good_mp4() { return coded_clip("h264.mp4", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"); }
std::string faststart() {
  return coded_clip("faststart.mp4", 60,
                    "-vf noise=alls=20:allf=t -c:v libx264 -pix_fmt yuv420p -g 12 -movflags +faststart");
}
std::string good_png() { return coded_clip("still.png", 1, "-update 1"); }
std::string good_gif() { return coded_clip("animation.gif", 30, "-c:v gif"); }

void expect_sentence(const std::string& text, const std::string& about) {
  EXPECT_GT(text.size(), 20u) << about;
  EXPECT_TRUE(text.ends_with(".")) << text;
  EXPECT_EQ(text.find("Error number"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

struct Bad {
  const char* name;
  std::string (*make)();
  const char* says;  // part of the sentence
};
const Bad bad_files[] = {
    {"missing", [] { return clip_folder() + "/no-such-file.mp4"; }, "There is no"},
    {"missing_folder", [] { return clip_folder() + "/no-such-folder/a.mp4"; }, "There is no"},
    {"folder", [] { return fresh_folder("empty folder"); }, "is a folder without pictures"},
    {"empty_pattern", [] { return clip_folder() + "/no-such*.png"; }, "No picture has a name like"},
    {"zero_bytes", [] { return write("zero.mp4", ""); }, "is empty"},
    {"one_byte", [] { return write("one.mp4", "x"); }, ""},
    {"zeros", [] { return write("zeros.mp4", std::string(100000, '\0')); }, ""},
    {"text_as_mp4", [] { return write("text.mp4", "This is not a video.\nIt is text.\n"); }, ""},
    {"text", [] { return write("notes.txt", "Hello.\nThis is a shopping list.\n"); }, ""},
    {"script", [] { return write("script.py", "import sys\nprint(sys.argv)\n"); }, ""},
    {"random_bytes", [] { return write("random.mp4", random_bytes(200000)); }, ""},
    {"header_only", [] { return write("header.mp4", bytes_of(good_mp4()).substr(0, 40)); }, ""},
    {"no_index", [] { return write("no-moov.mp4", bytes_of(good_mp4()).substr(0, bytes_of(good_mp4()).size() / 2)); },
     ""},
    {"mkv_header_only",
     [] {
       return write("header.mkv",
                    bytes_of(coded_clip("h264.mkv", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2")).substr(0, 300));
     },
     ""},
    {"png_header_only", [] { return write("header.png", bytes_of(good_png()).substr(0, 33)); }, ""},
    {"png_signature_only", [] { return write("signature.png", bytes_of(good_png()).substr(0, 8)); }, ""},
    {"gif_header_only", [] { return write("header.gif", bytes_of(good_gif()).substr(0, 13)); }, ""},
    {"jpeg_header_only", [] { return write("header.jpg", std::string("\xff\xd8\xff\xe0\x00\x10JFIF\x00", 11)); }, ""},
    {"png_of_absurd_size",
     [] {
       std::string png = bytes_of(good_png());
       for (const std::size_t at : {16u, 20u}) png.replace(at, 4, std::string("\x00\x01\x86\xa0", 4));  // 100000
       return write("absurd.png", png);
     },
     ""},
    {"absurdly_wide",
     [] {
       return made_file("absurdly-wide.avi",
                        "ffmpeg -nostdin -v error -y -f lavfi -i color=red:s=16400x16:r=5 -frames:v 2 -c:v mpeg4 -s "
                        "16400x16 -c:v ffv1 OUT");
     },
     "16400 × 16"},
    {"sound_without_samples",
     [] {
       const std::string sound = bytes_of(made_file("sound.wav",
                                                    "ffmpeg -nostdin -v error -y -f lavfi -i sine=d=0.2 "
                                                    "-fflags +bitexact OUT"));
       return write("header-only.wav", sound.substr(0, 44));
     },
     "has no sound that can be decoded"},
    {"sound_of_nonsense", [] { return write("noise.wav", "RIFF1234WAVE" + random_bytes(5000)); }, ""},
    {"zero_frames",
     [] {
       good_mp4();
       return made_file("zero-frames.mp4", "ffmpeg -nostdin -v error -y -i '" + good_mp4() +
                                               "' -frames:v 0 -c copy -f mp4 OUT 2>/dev/null");
     },
     ""},
    {"subtitles", [] { return write("titles.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello\n"); }, "no video"},
    {"pipe",
     [] {
       const std::string path = clip_folder() + "/bad-pipe.mp4";
       ::mkfifo(path.c_str(), 0600);
       return path;
     },
     "not a file"},
    {"device", [] { return std::string("/dev/zero"); }, "not a file"},
    {"socket",
     [] {
       const std::string path = "/tmp/convoscope-test-" + std::to_string(::getpid());
       ::unlink(path.c_str());
       sockaddr_un address{};
       address.sun_family = AF_UNIX;
       path.copy(address.sun_path, sizeof address.sun_path - 1);
       const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
       EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
       ::close(socket);
       return path;
     },
     "not a file"},
    {"link_to_itself",
     [] {
       const std::string path = clip_folder() + "/bad-loop.mp4";
       std::filesystem::remove(path);
       std::filesystem::create_symlink(path, path);
       return path;
     },
     ""},
    {"name_too_long", [] { return std::string(5000, 'x') + ".mp4"; }, ""},
    {"empty_sequence", [] { return clip_folder() + "/no-frame%04d.png"; }, "no picture named"},
    {"sequence_of_endless_numbers", [] { return clip_folder() + "/no-frame%99999999d.png"; }, "255"},
    {"sequence_in_endless_folders", [] { return clip_folder() + "/no-folder%0999999d/frame.png"; }, "255"},
    {"raw_video_without_header", [] { return write("raw.yuv", random_bytes(50000)); }, ""},
};

class BadFile : public testing::TestWithParam<Bad> {};

TEST_P(BadFile, EndsInASentence) {
  const std::string path = GetParam().make();
  for (const Pace pace : {Pace::every, Pace::clock}) {
    const auto player = open(path, pace);
    const std::optional<std::string> error = wait_for_error(*player);
    ASSERT_TRUE(error);
    expect_sentence(*error, path);
    EXPECT_NE(error->find(GetParam().says), std::string::npos) << *error;
    EXPECT_TRUE(player->stats().ended);
    EXPECT_EQ(player->stats().error, *error);
    EXPECT_FALSE(player->next_frame(once()));
    // Still usable.
    player->seek_seconds(1);
    player->step(-1);
    player->next_frame(once());
    player->restart();
    EXPECT_TRUE(wait_for_error(*player));
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, BadFile, testing::ValuesIn(bad_files),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(BadInput, ACutFilePlaysWhatIsThere) {
  const std::string whole = bytes_of(faststart());
  const auto player = open(write("cut.mp4", whole.substr(0, whole.size() * 2 / 3)));
  const std::vector<VideoFrame> frames = play(*player);
  EXPECT_GT(frames.size(), 15u);
  EXPECT_LT(frames.size(), 60u);
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) EXPECT_EQ(code_of(frames[i]), static_cast<int>(i));
  std::optional<std::string> error, any;
  while ((error = player->take_error())) any = error;
  ASSERT_TRUE(any);
  expect_sentence(*any, "cut");
  EXPECT_NE(any->find("cut off"), std::string::npos) << *any;
}

TEST(BadInput, ADamagedMiddleIsLeftOut) {
  std::string bytes = bytes_of(faststart());
  const std::string noise = random_bytes(bytes.size() / 5);
  bytes.replace(bytes.size() * 2 / 5, noise.size(), noise);
  const auto player = open(write("damaged.mp4", bytes));
  const std::vector<VideoFrame> frames = play(*player);
  EXPECT_GT(frames.size(), 30u);
  EXPECT_EQ(code_of(frames.front()), 0);
  EXPECT_EQ(code_of(frames.back()), 59);
  EXPECT_EQ(frames.back().number, 59);
  player->seek_frame(58);
  EXPECT_EQ(code_of(next(*player, once())), 58);
}

TEST(BadInput, BrokenPicturesShowOrSay) {
  std::string gif = bytes_of(good_gif()), png = bytes_of(good_png());
  gif.replace(gif.size() / 2, 40, random_bytes(40));
  png.replace(png.size() / 2, 20, random_bytes(20));
  for (const std::string& path :
       {write("broken.gif", gif), write("broken.png", png), write("cut.gif", gif.substr(0, gif.size() / 3)),
        write("cut.png", png.substr(0, png.size() / 2))}) {
    const auto player = open(path);
    const std::size_t count = play(*player).size();
    const std::optional<std::string> error = player->take_error();
    EXPECT_TRUE(count > 0 || error) << path;
    if (error) expect_sentence(*error, path);
  }
}

TEST(BadInput, EveryTruncationIsSurvived) {
  const std::string whole = bytes_of(faststart());
  for (int part = 1; part < 24; ++part) {
    const auto player = open(write("part.mp4", whole.substr(0, whole.size() * static_cast<std::size_t>(part) / 24)));
    const std::size_t count = play(*player).size();
    EXPECT_TRUE(count > 0 || !player->stats().error.empty()) << part;
  }
}

TEST(BadInput, ArgumentsThatCannotBeRight) {
  const auto refused = [](SourceSettings source) {
    try {
      Player::open(source, {}, Pace::every);
      ADD_FAILURE() << source.input << " " << source.width << " " << source.height << " " << source.rate;
    } catch (const Error& error) {
      expect_sentence(error.what(), source.input);
    }
  };
  for (const char* input :
       {"", "pattern:unknown", "pattern:", "camera:x", "camera:-1", "camera:", "camera:1x", "camera:999999999999"}) {
    SourceSettings source;
    source.input = input;
    refused(source);
  }
  for (const auto& [width, height] : {std::pair{-1, 10}, {10, 0}, {20000, 10}, {10, 1 << 30}}) {
    SourceSettings source;
    source.width = width;
    source.height = height;
    refused(source);
  }
  for (const double rate : {-1.0, 1e9, std::nan("")}) {
    SourceSettings source;
    source.rate = rate;
    refused(source);
  }
}

TEST(BadInput, PicturesOverTheLimitNameIt) {
  for (const char* ending : {"png", "bmp", "jpg", "gif", "tif", "tga", "webp", "exr", "jp2", "dpx",
                             "ppm", "pgm", "pbm", "pam", "pfm", "sgi", "ras",  "qoi", "mp4", "y4m"}) {
    const std::string path = clip_folder() + "/limit." + ending;
    if (run("ffmpeg -nostdin -v error -y -f lavfi -i testsrc=s=128x64 -frames:v 1 '" + path + "' 2>/dev/null") != 0)
      continue;  // this FFmpeg has no encoder for it
    SourceSettings source;
    source.input = path;
    source.max_pixels = 1000;
    const auto player = Player::open(source, {}, Pace::every);
    const std::optional<std::string> error = wait_for_error(*player);
    ASSERT_TRUE(error) << ending;
    expect_sentence(*error, ending);
    EXPECT_NE(error->find("--max-pixels 8192"), std::string::npos) << ending << ": " << *error;
  }
}

// FFmpeg has no other answer to a damaged header that asks for an absurd size.
TEST(BadInput, WantOfMemoryMayBeDamage) {
  const std::string told = why_not_readable("a.mp4", AVERROR(ENOMEM));
  EXPECT_NE(told.find("not enough memory to open 'a.mp4'"), std::string::npos) << told;
  EXPECT_NE(told.find("may be damaged"), std::string::npos) << told;
}

TEST(BadInput, CamerasThatAreNotThere) {
  for (const Camera& camera : list_cameras()) EXPECT_FALSE(camera.path.empty());
  for (const char* input : {"camera:99", "/dev/video63"}) {
    const auto player = open(input, Pace::clock);
    const std::optional<std::string> error = wait_for_error(*player);
    ASSERT_TRUE(error);
    expect_sentence(*error, input);
    EXPECT_NE(error->find("every 2 seconds"), std::string::npos) << *error;
    EXPECT_FALSE(player->stats().ended);
  }
}

TEST(BadInput, AddressesThatDoNotAnswer) {
  // A server that accepts and says nothing, a closed port, an unknown kind of address.
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 4), 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string silent = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/video.mp4";

  const auto start = std::chrono::steady_clock::now();
  {
    const auto player = open(silent, Pace::clock);
    for (int i = 0; i < 100; ++i) {
      EXPECT_FALSE(player->next_frame(once()));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }  // closing does not wait for the answer
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  ::close(listener);

  for (const std::string& input : {std::string("http://127.0.0.1:1/a.mp4"), std::string("nosuch://127.0.0.1/a")}) {
    const auto player = open(input, Pace::every);
    const std::optional<std::string> error = wait_for_error(*player);
    ASSERT_TRUE(error) << input;
    expect_sentence(*error, input);
    EXPECT_FALSE(player->take_error()) << "said once, not with every attempt";
  }
}

TEST(BadInput, AStreamComesBack) {
  // The server appears only after the first attempt has failed.
  const std::string folder = fresh_folder("served");
  std::filesystem::copy_file(coded_clip("h264.ts", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"), folder + "/a.ts");
  const int port = 20000 + ::getpid() % 20000;
  const auto player = open("tcp://127.0.0.1:" + std::to_string(port), Pace::clock);
  const std::optional<std::string> error = wait_for_error(*player);
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("every 2 seconds"), std::string::npos) << *error;
  std::thread server([&] {
    run("timeout 20 ffmpeg -nostdin -v quiet -re -i '" + folder +
        "/a.ts' -c copy -f mpegts 'tcp://127.0.0.1:" + std::to_string(port) + "?listen=1'");
  });
  const VideoFrame frame = next(*player, {});
  EXPECT_GE(code_of(frame), 0);
  EXPECT_TRUE(player->stats().live);
  // And when it is cut again, that is said.
  EXPECT_TRUE(wait_for_error(*player, {}));
  server.join();
}

}  // namespace
}  // namespace convoscope::test
