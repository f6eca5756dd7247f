// What a list may make FFmpeg open, whatever its lines look like and however deep it names it. All files are the
// test's own.
#include "app/media/ffmpeg/open_guard.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "app/media/read/list_text.h"
#include "app/media/read/playlist.h"
#include "kernels/text/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

namespace fs = std::filesystem;

class GuardedOpens : public testing::Test {
 protected:
  GuardedOpens() : folder_(fresh_folder("guard-" + name()) + "/own"), elsewhere_(fresh_folder("far-" + name())) {
    fs::create_directories(folder_);
    const std::string clip = coded_clip("h264.ts", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2");
    fs::copy_file(clip, folder_ + "/in.ts");
    fs::copy_file(clip, elsewhere_ + "/far.ts");
  }
  static std::string name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }
  std::string list(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  static std::string hls(const std::string& member, const std::string& end = "\n") {
    return "#EXTM3U" + end + "#EXT-X-TARGETDURATION:5" + end + "#EXTINF:1.2," + end + member + end + "#EXT-X-ENDLIST" +
           end;
  }
  static std::string refusal(const std::string& input, bool trusted = false) {
    SourceSettings source;
    source.input = input;
    source.trust_playlists = trusted;
    const auto player = Player::open(source, {}, Pace::every);
    return wait_for_error(*player).value_or("");
  }
  static std::size_t frames(const std::string& input, bool trusted = false) {
    SourceSettings source;
    source.input = input;
    source.trust_playlists = trusted;
    const auto player = Player::open(source, {}, Pace::every);
    const std::size_t played = play(*player).size();
    EXPECT_EQ(player->stats().error, "") << input;
    return played;
  }
  std::string folder_, elsewhere_;
};

// Lines end at either character, for FFmpeg and for us.
TEST_F(GuardedOpens, LinesEndWhereFFmpegEndsThem) {
  for (const std::string end : {"\r", "\n", "\r\n"}) {
    EXPECT_EQ(frames(list("in.m3u8", hls("in.ts", end))), 30u);
    EXPECT_EQ(frames(list("in.ffconcat", "ffconcat version 1.0" + end + "file in.ts" + end)), 30u);
    for (const std::string& far :
         {list("far.m3u8", hls(elsewhere_ + "/far.ts", end)),
          list("far.ffconcat", "ffconcat version 1.0" + end + "file in.ts" + end + "file " + elsewhere_ + "/far.ts"),
          list("key.m3u8", "#EXTM3U" + end + "#EXT-X-KEY:METHOD=AES-128,URI=" + elsewhere_ + "/far.ts" + end +
                               hls("in.ts", end).substr(8))})
      EXPECT_NE(refusal(far).find("lies outside of its folder"), std::string::npos) << refusal(far);
  }
}

TEST_F(GuardedOpens, WhatStandsBehindATagIsAListToo) {
  const std::string tag(
      "ID3\x04\x00\x00\x00\x00\x00\x10"
      "0123456789abcdef",
      26);
  EXPECT_NE(refusal(list("far.m3u8", tag + hls(elsewhere_ + "/far.ts"))).find("outside of its folder"),
            std::string::npos);
  EXPECT_NE(refusal(list("far.ffconcat", tag + "ffconcat version 1.0\nfile " + elsewhere_ + "/far.ts\n"))
                .find("outside of its folder"),
            std::string::npos);
}

TEST_F(GuardedOpens, WhatIsTooLongOrTooDeepIsRefusedAndNotReadInPart) {
  const std::string comments = "#" + std::string(9 << 20, ' ') + "\n";
  for (const bool trusted : {false, true}) {
    EXPECT_NE(refusal(list("long.m3u8", hls("in.ts") + comments + "in.ts\n"), trusted).find("too long to be checked"),
              std::string::npos);
    EXPECT_NE(refusal(list("long.ffconcat", "ffconcat version 1.0\n" + comments + "file in.ts\n"), trusted)
                  .find("too long to be checked"),
              std::string::npos);
    EXPECT_NE(refusal(list("line.m3u8", hls(std::string(5000, '/') + "in.ts")), trusted).find("too long for FFmpeg"),
              std::string::npos);
    EXPECT_NE(refusal(list("zero.m3u8", hls("in.ts") + std::string(1, '\0')), trusted).find("belong to no text"),
              std::string::npos);
  }
  list("12.m3u8", hls("in.ts"));
  for (int depth = 11; depth >= 0; --depth)
    list(std::to_string(depth) + ".m3u8", hls(std::to_string(depth + 1) + ".m3u8"));
  EXPECT_NE(refusal(folder_ + "/0.m3u8").find("too deep to be checked"), std::string::npos);
  // A long list that can be read is.
  EXPECT_EQ(frames(list("many.m3u8", hls("in.ts") + "#" + std::string(5 << 20, ' '))), 30u);
}

TEST_F(GuardedOpens, AScriptNamesAnotherListOnlyWhereItIsTrusted) {
  list("inner.m3u8", hls("in.ts"));
  list("inner.ffconcat", "ffconcat version 1.0\nfile in.ts\n");
  for (const std::string inner : {"inner.m3u8", "inner.ffconcat"}) {
    const std::string outer = list("outer.ffconcat", "ffconcat version 1.0\nfile " + inner + "\n");
    EXPECT_NE(refusal(outer).find("which is a playlist, too"), std::string::npos) << refusal(outer);
    EXPECT_EQ(frames(outer, true), 30u) << inner;
  }
  const std::string option = list("option.ffconcat", "ffconcat version 1.0\nfile in.ts\noption seekable 1\n");
  EXPECT_NE(refusal(option).find("the word 'option'"), std::string::npos) << refusal(option);
}

TEST_F(GuardedOpens, AScriptKeepsItsOtherWords) {
  EXPECT_EQ(frames(list("twice.ffconcat", "ffconcat version 1.0\n# twice\nfile in.ts\nduration 1.2\nfile 'in.ts'\n")),
            60u);
  EXPECT_LT(frames(list("cut.ffconcat", "ffconcat version 1.0\nfile in.ts\noutpoint 1.8\n")), 30u);
  fs::copy_file(folder_ + "/in.ts", folder_ + "/it's 100%d.ts");
  EXPECT_EQ(frames(list("odd.ffconcat", "ffconcat version 1.0\nfile 'it'\\''s 100%d.ts'\n"), true), 30u);
}

// FFmpeg looks for the root further down than anybody would.
TEST_F(GuardedOpens, AManifestIsKnownWhereverItBegins) {
  const std::string manifest = list("late.mpd", "<?xml version=\"1.0\"?>\n<!--" + std::string(10'000, ' ') +
                                                    "-->\n<MPD profiles=\"urn:mpeg:dash:profile:isoff-live:2011\"/>");
  EXPECT_NE(refusal(manifest).find("is a manifest (dash)"), std::string::npos) << refusal(manifest);
}

// What FFmpeg asks for while it reads, whoever let it come so far.
class AskedWhileReading : public GuardedOpens {
 protected:
  // Whether it is opened.
  bool opens(const MediaInput& input, bool trusted, const std::string& url) {
    OpenGuard guard(input, trusted);
    AVDictionary* options = nullptr;
    AVFormatContext* const context = avformat_alloc_context();
    guard.attach(*context, options);
    AVIOContext* io = nullptr;
    const int status = context->io_open(context, &io, url.c_str(), AVIO_FLAG_READ, nullptr);
    avio_closep(&io);
    avformat_free_context(context);
    av_dict_free(&options);
    refusal_ = guard.refusal();
    return status >= 0;
  }
  MediaInput local(const std::string& name) const {
    MediaInput input;
    input.path = folder_ + "/" + name;
    input.address = "file:" + input.path;
    return input;
  }
  std::string refusal_;
};

TEST_F(AskedWhileReading, OnlyFilesOfTheFolder) {
  list("list.m3u8", hls("in.ts"));
  fs::create_symlink(elsewhere_ + "/far.ts", folder_ + "/link.ts");
  fs::create_symlink("in.ts", folder_ + "/near.ts");
  ASSERT_EQ(::mkfifo((folder_ + "/pipe.ts").c_str(), 0600), 0);
  const std::string near = folder_ + "/in.ts", far = elsewhere_ + "/far.ts";
  const MediaInput input = local("list.m3u8");
  for (const std::string& url : {near, "file:" + near, folder_ + "/near.ts", std::string("data:text/plain,a")}) {
    EXPECT_TRUE(opens(input, false, url)) << url;
    EXPECT_EQ(refusal_, "") << url;
  }
  for (const std::string& url :
       {far, "file:" + far, folder_ + "/link.ts", folder_ + "/../own/link.ts", "crypto:" + far, "crypto+file:" + far}) {
    EXPECT_FALSE(opens(input, false, url)) << url;
    EXPECT_NE(refusal_.find("lies outside of its folder"), std::string::npos) << url << ": " << refusal_;
  }
  EXPECT_FALSE(opens(input, false, folder_ + "/pipe.ts"));
  EXPECT_NE(refusal_.find("is a pipe"), std::string::npos) << refusal_;
  EXPECT_FALSE(opens(input, true, folder_ + "/pipe.ts")) << "would be waited for";
  EXPECT_TRUE(opens(input, true, far));
  EXPECT_FALSE(opens(input, false, folder_ + "/gone.ts"));
  EXPECT_EQ(refusal_, "") << "what is not there was not refused";
}

// Protocols that are made of others open what they wrap by themselves: none of them is taken.
TEST_F(AskedWhileReading, NoProtocolThatWrapsAnother) {
  list("list.m3u8", hls("in.ts"));
  const std::string near = folder_ + "/in.ts", far = elsewhere_ + "/far.ts";
  for (const std::string& path : {near, far})
    for (const std::string wrapper :
         {"concat:", "concat:file:", "concatf:", "subfile,,start,0,end,9,,:", "async:", "async:file:", "cache:",
          "cache:file:", "pipe:", "crypto:concat:", "crypto:crypto:", "http://127.0.0.1:1/", "tcp://127.0.0.1:1",
          "udp://127.0.0.1:1", "unix:"})
      for (const bool trusted : {false, true})
        EXPECT_FALSE(opens(local("list.m3u8"), trusted, wrapper + path)) << wrapper + path;
}

TEST_F(AskedWhileReading, NothingOfThisMachineByWhatComesFromANetwork) {
  MediaInput input;
  input.from = MediaInput::From::network;
  input.address = "http://127.0.0.1:1/list.m3u8";
  const std::string path = folder_ + "/in.ts";
  for (const std::string begin : {"", "file:", "file://", "concat:", "subfile,,start,0,end,9,,:", "async:", "cache:",
                                  "crypto:", "crypto+file:", "async:file:"}) {
    EXPECT_FALSE(opens(input, false, begin + path)) << begin;
    EXPECT_NE(refusal_.find("only addresses that begin with http"), std::string::npos) << begin << ": " << refusal_;
  }
  EXPECT_FALSE(opens(input, false, "http://127.0.0.1:1/part.ts")) << "nobody listens there";
  EXPECT_EQ(refusal_, "") << "but it may be asked for";
  input.address = "async:file://" + path;  // of the user's own
  EXPECT_TRUE(opens(input, false, input.address));
  EXPECT_FALSE(opens(input, false, "file:" + path));
}

}  // namespace
}  // namespace convoscope::test
