// A session that somebody gave us opens nothing but what lies beside it.
#include "app/session/session_trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/media/write/png.h"
#include "app/session/places.h"
#include "app/session/session_file.h"
#include "app/session/session_json.h"
#include "tests/cli/folder.h"
#include "tests/state/everything.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SessionTrust : public testing::Test {
 protected:
  SessionTrust() {
    setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
    fs::create_directories(folder / "given");
    fs::create_directories(folder / "far");
    machine = default_settings();
    machine.recording.folder = "/the/user's own";
  }
  // A picture whose session names this source and this network.
  std::string picture(const std::string& source, const std::string& network = "") {
    nlohmann::json session = session_json(default_settings(), {});
    session["source"] = source;
    session["recording"]["folder"] = "/somewhere";
    if (!network.empty()) session["layer"]["network"] = network;
    const std::string path = folder / "given/shot.png";
    std::uint32_t pixel = 0;
    write_png(path, {&pixel, 1, 1, 4, PixelFormat::rgba8}, {{session_key, session.dump()}});
    return path;
  }
  std::string session_file(const std::string& name, const std::string& source) {
    nlohmann::json session = session_json(default_settings(), {});
    session["source"] = source;
    session["recording"]["folder"] = "/somewhere";
    return folder.write(name, session.dump());
  }
  Restored opened(const std::string& path) {
    return restore_session(*read_session_file(path), path, machine, origin_of_opened(path));
  }

  Folder folder;
  Settings machine;
};

TEST_F(SessionTrust, WhatIsNotBesideAPictureWaitsForAClick) {
  const std::string clip = folder.write("far/clip.y4m", "x");
  fs::create_symlink(clip, folder / "given/link.y4m");
  const std::pair<std::string, const char*> named[] = {
      {"https://example.org/a.mp4", "the address 'https"},
      {"rtsp://example.org/a", "the address 'rtsp"},
      {"tcp://0.0.0.0:5000?listen", "a port of this machine"},
      {"udp://@:5000", "a port of this machine"},
      {"async:file:///etc/clip.mkv", "the address 'async"},
      {"file:///etc/clip.mkv", "the file 'file:"},
      {"camera:0", "the camera 'camera:0'"},
      {"screen", "the screen 'screen'"},
      {clip, "the file '"},
      {"/proc/none/clip.mkv", "the file '/proc/none"},
      {"../far/clip.y4m", "/far/clip.y4m'"},
      {"sub/clip.y4m", "/given/sub/clip.y4m'"},
      {"../far/*.y4m", "/far/*.y4m'"},
      {"link.y4m", "/given/link.y4m'"},
      {"..", "the file '"},
  };
  for (const auto& [source, what] : named) {
    const std::string holder = picture(source);
    for (const Restored& restored : {opened(holder), open_session(holder, machine)}) {
      EXPECT_EQ(restored.settings.source.input, SourceSettings().input) << source;
      EXPECT_EQ(restored.settings.recording.folder, "/the/user's own");
      EXPECT_THAT(restored.remarks, testing::IsEmpty()) << source;
      ASSERT_EQ(restored.offers.size(), 1u) << source;
      EXPECT_THAT(restored.offers[0].what, HasSubstr(what));
      EXPECT_THAT(question_of(restored.offers[0]), HasSubstr("opened only if you say so"));
      EXPECT_NE(restored.offers[0].source, "");
    }
  }
}

TEST_F(SessionTrust, WhatLiesBesideItAndPatternsPlay) {
  const std::string clip = folder.write("given/clip.y4m", "x");
  folder.write("given/f1.png", "x");
  for (const auto& [source, input] : {std::pair<std::string, std::string>{"clip.y4m", clip},
                                      {clip, clip},
                                      {"f%d.png", folder / "given/f%d.png"},
                                      {"f*.png", folder / "given/f*.png"},
                                      {"pattern", "pattern"}}) {
    const Restored restored = opened(picture(source));
    EXPECT_EQ(restored.settings.source.input, input);
    EXPECT_THAT(restored.offers, testing::IsEmpty()) << source;
  }
  const Restored gone = opened(picture("gone.y4m"));
  EXPECT_THAT(gone.remarks, testing::ElementsAre(HasSubstr("'gone.y4m' is not there")));
  machine.recent = {folder.write("far/gone.y4m", "x")};
  const Restored recent = opened(picture("gone.y4m"));
  ASSERT_EQ(recent.offers.size(), 1u) << "it is known, but lies elsewhere";
  EXPECT_EQ(recent.offers[0].source, machine.recent[0]);
}

TEST_F(SessionTrust, ANetworkOfAnotherFolderIsNotRead) {
  const Restored far = opened(picture("pattern", "/proc/none/net.safetensors"));
  ASSERT_EQ(far.offers.size(), 1u);
  EXPECT_EQ(far.offers[0].weights, "/proc/none/net.safetensors");
  EXPECT_THAT(question_of(far.offers[0]), HasSubstr("read only if you say so"));
  EXPECT_EQ(far.settings.layer.network, "");
  EXPECT_EQ(far.skipped, "") << "it was not even looked for";
  const Restored gone = opened(picture("pattern", "net.safetensors"));
  EXPECT_THAT(gone.remarks, testing::ElementsAre(HasSubstr("'net.safetensors' is not there")));
  EXPECT_EQ(opened(picture("pattern", "corners")).settings.layer.network, "corners") << "of the catalogue";
}

TEST_F(SessionTrust, OnlyTheProgramsOwnSessionAndOneOnTheCommandLineOpenWhatTheyName) {
  const std::string clip = folder.write("far/clip.y4m", "x");
  const std::string given = session_file("given/mine.json", clip);
  EXPECT_EQ(opened(given).offers.size(), 1u);
  const Restored named = open_session(given, machine);
  EXPECT_EQ(named.settings.source.input, clip);
  EXPECT_EQ(named.settings.recording.folder, "/the/user's own");
  fs::create_directories(session_path().parent_path());
  const Restored own = opened(session_file("convoscope/session-before.json", clip));
  EXPECT_EQ(own.settings.source.input, clip);
  EXPECT_EQ(own.settings.recording.folder, "/somewhere");
}

TEST_F(SessionTrust, WhatIsPassedOnNamesNoFolderOfItsNetwork) {
  Settings settings = default_settings();
  settings.layer.network = "/home/me/nets/net.safetensors";
  const auto session = nlohmann::json::parse(embedded_session(settings, {}));
  EXPECT_EQ(session["layer"]["network"], "net.safetensors");
  settings.layer.network = "corners";
  EXPECT_EQ(nlohmann::json::parse(embedded_session(settings, {}))["layer"]["network"], "corners");
}

}  // namespace
}  // namespace convoscope
