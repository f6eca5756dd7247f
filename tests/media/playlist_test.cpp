// A playlist shows what lies with it and nothing else of the machine, however it names it.
#include "app/media/read/playlist.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "app/media/read/local_files.h"
#include "kernels/text/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

namespace fs = std::filesystem;

class Playlist : public testing::Test {
 protected:
  // Of its own: other tests of this file run beside it, in other processes.
  Playlist()
      : folder_(fresh_folder("playlists-" + name()) + "/own"),
        elsewhere_(fresh_folder("elsewhere-" + name()) + "/secret.ts") {
    fs::create_directories(folder_ + "/sub");
    const std::string clip = coded_clip("h264.ts", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2");
    fs::copy_file(clip, folder_ + "/sub/in.ts");
    fs::copy_file(clip, elsewhere_);
    fs::create_symlink(elsewhere_, folder_ + "/link.ts");
  }
  static std::string name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }
  std::string m3u8(const std::string& name, const std::string& member) const {
    std::ofstream(folder_ + "/" + name) << "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:1.2,\n" + member +
                                               "\n#EXT-X-ENDLIST\n";
    return folder_ + "/" + name;
  }
  std::string concat(const std::string& name, const std::string& member) const {
    std::ofstream(folder_ + "/" + name) << "ffconcat version 1.0\nfile " + member + "\n";
    return folder_ + "/" + name;
  }
  static std::string refusal(const std::string& input) {
    const auto player = open(input);
    return wait_for_error(*player).value_or("");
  }
  std::string folder_, elsewhere_;
};

TEST_F(Playlist, PlaysWhatLiesBelow) {
  for (const std::string& list : {m3u8("in.m3u8", "sub/in.ts"), concat("in.ffconcat", "sub/in.ts"),
                                  m3u8("absolute.m3u8", fs::canonical(folder_).string() + "/sub/in.ts")}) {
    const auto player = open(list);
    EXPECT_EQ(play(*player).size(), 30u) << list << ": " << player->stats().error;
  }
}

TEST_F(Playlist, ShowsNothingFromElsewhere) {
  const std::string inner = m3u8("inner.m3u8", elsewhere_);
  for (const std::string& list :
       {inner, m3u8("up.m3u8", "../../elsewhere-" + name() + "/secret.ts"), m3u8("link.m3u8", "link.ts"),
        m3u8("address.m3u8", "file://" + elsewhere_), m3u8("nested.m3u8", "inner.m3u8"),
        concat("nested.ffconcat", "inner.m3u8"), concat("link.ffconcat", "link.ts")}) {
    const std::string text = refusal(list);
    EXPECT_NE(text.find("outside of its folder"), std::string::npos) << list << ": " << text;
    EXPECT_NE(text.find("--trust-playlists"), std::string::npos) << text;
  }
  for (const std::string& list : {inner, concat("absolute.ffconcat", elsewhere_),
                                  concat("up.ffconcat", "../../elsewhere-" + name() + "/secret.ts")}) {
    SourceSettings source;
    source.input = list;
    source.trust_playlists = true;
    const auto player = Player::open(source, {}, Pace::every);
    EXPECT_EQ(play(*player).size(), 30u) << list << ": " << player->stats().error;
  }
}

TEST_F(Playlist, ANameThatFFmpegTakesFromTrustedOnesOnlyIsNotCalledDamage) {
  fs::copy_file(folder_ + "/sub/in.ts", folder_ + "/sub/my in.ts");
  for (const std::string& member : {fs::canonical(folder_).string() + "/sub/in.ts", std::string("./sub/in.ts"),
                                    std::string("'sub/my in.ts'"), std::string("sub/../sub/in.ts")}) {
    const std::string list = concat("odd.ffconcat", member), text = refusal(list);
    EXPECT_NE(text.find("not trusted, FFmpeg takes only names"), std::string::npos) << member << ": " << text;
    EXPECT_NE(text.find("--trust-playlists"), std::string::npos) << text;
    SourceSettings source;
    source.input = list;
    source.trust_playlists = true;
    EXPECT_EQ(play(*Player::open(source, {}, Pace::every)).size(), 30u) << member;
  }
}

TEST_F(Playlist, ManifestsNeedTrust) {
  std::ofstream(folder_ + "/a.mpd") << "<?xml version=\"1.0\"?>\n<mpd profiles=\"urn:mpeg:dash:profile\"></mpd>\n";
  EXPECT_NE(refusal(folder_ + "/a.mpd").find("manifest"), std::string::npos);
}

TEST_F(Playlist, APipeIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo((folder_ + "/pipe.ts").c_str(), 0600), 0);
  for (const std::string& list : {m3u8("pipe.m3u8", "pipe.ts"), concat("pipe.ffconcat", "pipe.ts")})
    EXPECT_NE(refusal(list).find("is a pipe"), std::string::npos) << list;
}

TEST_F(Playlist, OneThatLeadsBackToItselfIsRefused) {
  EXPECT_NE(refusal(m3u8("self.m3u8", "self.m3u8")).find("never end"), std::string::npos);
  EXPECT_NE(refusal(m3u8("dot.m3u8", "./dot.m3u8")).find("never end"), std::string::npos);
  concat("first.ffconcat", "second.ffconcat");
  EXPECT_NE(refusal(concat("second.ffconcat", "first.ffconcat")).find("never end"), std::string::npos);
}

TEST_F(Playlist, AListOfAddressesIsNotCalledDamaged) {
  const std::string list = folder_ + "/list.m3u";
  std::ofstream(list) << "#EXTM3U\n#EXTINF:3,\nhttp://127.0.0.1/a.mp4\n";
  EXPECT_NE(refusal(list).find("is no HLS playlist"), std::string::npos) << refusal(list);
  for (const std::string& other :
       {m3u8("far.m3u8", "http://127.0.0.1:1/a.ts"), concat("far.ffconcat", "http://127.0.0.1:1/a.ts")})
    EXPECT_NE(refusal(other).find("names addresses"), std::string::npos) << refusal(other);
}

TEST_F(Playlist, ItsMembersAreInputs) {
  const std::string list = m3u8("in.m3u8", "sub/in.ts");
  EXPECT_THROW(check_is_not_input("OUTPUT", folder_ + "/sub/in.ts", list), Error);
  EXPECT_THROW(check_is_not_input("OUTPUT", folder_ + "/sub/in.ts", "file://" + list), Error);
  EXPECT_NO_THROW(check_is_not_input("OUTPUT", folder_ + "/sub/out.ts", list));
}

TEST_F(Playlist, AnyTextIsTakenForWhatItIs) {
  for (const char* text : {"", "#EXTM3U", "ffconcat", "ffconcat version 1.0\nfile\nfile \nfile '\n",
                           "#EXTM3U\n#EXT-X-KEY:URI=\"", "\xef\xbb\xbf#EXTM3U\n\n\n"}) {
    std::ofstream(folder_ + "/odd") << text;
    EXPECT_TRUE(playlist_members(folder_ + "/odd").empty()) << text;
  }
  std::ofstream(folder_ + "/self.m3u8") << "#EXTM3U\nself.m3u8\n";
  EXPECT_EQ(playlist_members(folder_ + "/self.m3u8").size(), 1u);
}

TEST(LocalFiles, AreFoundInEveryFormOfAddress) {
  const std::string folder = fresh_folder("local files"), path = folder + "/a b.mkv";
  std::ofstream(path) << "x";
  const std::string encoded = folder.substr(0, folder.find(' ')) + "%20files/a%20b.mkv";
  for (const std::string& input :
       {path, "file:" + path, "file://" + path, "file://localhost" + path, "file://" + encoded,
        "concat:file://" + path + "|file:///none", "async:file://" + path}) {
    const std::vector<fs::path> files = local_files(input);
    ASSERT_FALSE(files.empty()) << input;
    EXPECT_TRUE(is_same_file(files.front(), path)) << input;
  }
  fs::create_hard_link(path, folder + "/hard.mkv");
  fs::create_symlink("a b.mkv", folder + "/soft.mkv");
  EXPECT_TRUE(is_same_file(path, folder + "/hard.mkv"));
  EXPECT_TRUE(is_same_file(path, folder + "/soft.mkv"));
  EXPECT_TRUE(is_same_file(folder + "/new.mkv", folder + "/../local files/new.mkv")) << "not there yet";
  for (const char* name : {"/f001.png", "/f002.png", "/f1x.png"}) std::ofstream(folder + name) << "x";
  EXPECT_EQ(local_files(folder + "/f%03d.png").size(), 2u);
  EXPECT_TRUE(local_files("pattern").empty());
  EXPECT_TRUE(local_files("http://localhost/a.mkv").empty());
}

}  // namespace
}  // namespace convoscope::test
