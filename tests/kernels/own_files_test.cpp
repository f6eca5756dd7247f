// What others put where the caches are is neither believed nor overwritten.
#include "kernels/files/own_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "kernels/jit/cubin_cache.h"
#include "kernels/measure/cache_file.h"
#include "tests/kernels/cache_home.h"
#include "tests/killed_writer.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace fs = std::filesystem;

class OwnFiles : public testing::Test {
 protected:
  static constexpr std::size_t most = 1000;

  fs::path path(const std::string& name = {}) const { return fs::path(cache_.folder()) / "convoscope" / name; }
  bool write(const std::string& content) {
    return OwnFolder("convoscope", OwnFolder::Missing::is_made).write("file", content);
  }
  std::optional<std::string> read() {
    OwnFolder folder("convoscope", OwnFolder::Missing::is_nothing);
    const auto content = folder ? folder.read("file", most) : std::nullopt;
    why_ = folder.why();
    return content;
  }
  static unsigned mode(const fs::path& of) {
    struct stat status {};
    return stat(of.c_str(), &status) == 0 ? status.st_mode & 0777u : 0;
  }

  CacheHome cache_;
  Folder elsewhere_;
  std::string why_;
};

TEST_F(OwnFiles, AreThisUsersAlone) {
  EXPECT_FALSE(read());
  EXPECT_THAT(why_, IsEmpty()) << "that nothing is there is no trouble";
  const mode_t before = umask(0);
  EXPECT_TRUE(write("content"));
  umask(before);
  EXPECT_EQ(read(), "content");
  EXPECT_EQ(mode(path()), 0700u);
  EXPECT_EQ(mode(path("file")), 0600u);
}

TEST_F(OwnFiles, ADraftDoesNotFollowALink) {
  fs::create_directories(path());
  fs::permissions(path(), fs::perms::all);
  const std::string precious = elsewhere_.write("precious", "kept");
  fs::create_symlink(precious, path("file.new"));
  for (int i = 2; i < 100; ++i) fs::create_symlink(precious, path("file.new-" + std::to_string(i)));
  EXPECT_TRUE(write("content"));
  EXPECT_EQ(read(), "content");
  EXPECT_EQ(elsewhere_.read("precious"), "kept");
  EXPECT_EQ(mode(path()), 0700u) << "a folder that others could write is closed to them";
}

// Whatever writes, the cache of measurements or of machine code.
TEST_F(OwnFiles, AKilledWritersDraftIsGoneAfterTheNextWrite) {
  if (!keeps_attributes(elsewhere_)) GTEST_SKIP() << "the file system keeps no attributes";
  ASSERT_TRUE(write("before"));
  for (int i = 0; i < 3; ++i) killed_while([&] { write(std::string(most_of_killed * 2, 'x')); });
  EXPECT_EQ(read(), "before");
  EXPECT_EQ(files_in(path()), 2) << "it has left one";
  EXPECT_TRUE(write("content"));
  EXPECT_EQ(read(), "content");
  EXPECT_EQ(files_in(path()), 1);
}

TEST_F(OwnFiles, ALinkInAFilesPlaceIsReplaced) {
  ASSERT_TRUE(write("content"));
  const std::string precious = elsewhere_.write("precious", "kept");
  fs::remove(path("file"));
  fs::create_symlink(precious, path("file"));
  EXPECT_FALSE(read());
  EXPECT_THAT(why_, HasSubstr("link"));
  EXPECT_TRUE(write("content"));
  EXPECT_EQ(read(), "content");
  EXPECT_EQ(elsewhere_.read("precious"), "kept");
}

TEST_F(OwnFiles, AFolderThatIsALinkIsNotTaken) {
  fs::create_directory_symlink(elsewhere_.path(), path().parent_path());
  EXPECT_FALSE(OwnFolder("convoscope", OwnFolder::Missing::is_made));
  EXPECT_TRUE(fs::is_empty(elsewhere_.path()));
}

TEST_F(OwnFiles, WhatOthersMayWriteIsNotTaken) {
  ASSERT_TRUE(write("content"));
  for (const fs::perms bit : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(path("file"), bit, fs::perm_options::add);
    EXPECT_FALSE(read());
    EXPECT_THAT(why_, HasSubstr("another user"));
    fs::permissions(path("file"), bit, fs::perm_options::remove);
    EXPECT_TRUE(read());
  }
}

TEST_F(OwnFiles, WhatIsAnothersIsNotTaken) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  constexpr uid_t another = 4242;
  ASSERT_TRUE(write("content"));
  ASSERT_EQ(chown(path("file").c_str(), another, another), 0);
  EXPECT_FALSE(read());
  ASSERT_EQ(chown(path("file").c_str(), 0, 0), 0);
  EXPECT_TRUE(read());
  ASSERT_EQ(chown(path().c_str(), another, another), 0);
  EXPECT_FALSE(read());
  EXPECT_THAT(why_, HasSubstr("another user"));
}

TEST_F(OwnFiles, APipeIsNotWaitedFor) {
  fs::create_directories(path());
  ASSERT_EQ(mkfifo(path("file").c_str(), 0600), 0);
  EXPECT_FALSE(read());
  EXPECT_THAT(why_, HasSubstr("not an ordinary file"));
}

TEST_F(OwnFiles, TooLargeIsNotTaken) {
  ASSERT_TRUE(write(std::string(most + 1, 'x')));
  EXPECT_FALSE(read());
  EXPECT_THAT(why_, HasSubstr("large"));
}

TEST_F(OwnFiles, ARelativeCacheHomeIsIgnored) {
  const Folder home;
  const char* before = std::getenv("HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_CACHE_HOME", "here", 1);
  setenv("HOME", home.path().c_str(), 1);
  EXPECT_EQ(cache_home(), home.path() / ".cache");
  EXPECT_EQ(cache_folder(), home.path() / ".cache" / "convoscope");
  setenv("HOME", "there", 1);
  EXPECT_TRUE(cache_home().empty());
  before ? setenv("HOME", kept.c_str(), 1) : unsetenv("HOME");
}

// Deep enough to overflow the stack of whoever copies it.
TEST_F(OwnFiles, AMeasurementNestedWithoutEndIsASentence) {
  constexpr int deep = 200'000;
  std::string nested = R"({"version": 1, "entries": {"a": )";
  for (int i = 0; i < deep; ++i) nested += "[";
  for (int i = 0; i < deep; ++i) nested += "]";
  for (const std::string& text :
       {nested + "}}", nested, std::string(deep, '['), std::string(R"({"version": 1, "x": )") + nested + "}}}"}) {
    ASSERT_TRUE(OwnFolder("convoscope", OwnFolder::Missing::is_made).write("things.json", text));
    std::string problem;
    EXPECT_TRUE(load_cache_entry("things.json", "a", &problem).is_null());
    EXPECT_THAT(problem, HasSubstr("things.json"));
    EXPECT_THAT(problem, HasSubstr("measured again"));
    EXPECT_TRUE(save_cache_entry("things.json", "a", 7, nullptr));
    EXPECT_EQ(load_cache_entry("things.json", "a", nullptr), 7);
  }
}

TEST_F(OwnFiles, MeasurementsAreBounded) {
  std::string text = R"({"version": 1, "entries": {)";
  for (int i = 0; i < 5000; ++i) text += (i ? ",\"" : "\"") + std::to_string(i) + "\": 1";
  ASSERT_TRUE(OwnFolder("convoscope", OwnFolder::Missing::is_made).write("things.json", text + "}}"));
  ASSERT_TRUE(save_cache_entry("things.json", "a", 7, nullptr));
  std::ifstream file(path("things.json"));
  EXPECT_LE(nlohmann::json::parse(file)["entries"].size(), 2000u);
  EXPECT_EQ(load_cache_entry("things.json", "a", nullptr), 7);
}

TEST_F(OwnFiles, MachineCodeIsBounded) {
  const auto held = [&] {
    std::size_t bytes = 0, files = 0;
    for (const auto& file : fs::directory_iterator(path("specialised"))) {
      bytes += file.file_size();
      ++files;
    }
    return std::pair(files, bytes);
  };
  for (std::size_t i = 0; i < jit::most_cubins + 20; ++i) jit::save_cubin("small " + std::to_string(i), "code");
  EXPECT_LE(held().first, jit::most_cubins);
  const std::string large(7 << 20, 'x');
  for (int i = 0; i < 12; ++i) jit::save_cubin("large " + std::to_string(i), large);
  EXPECT_LE(held().second, jit::most_cubin_bytes);
  EXPECT_TRUE(jit::load_cubin("large 11")) << "the newest stay";
}

TEST_F(OwnFiles, MachineCodeThatOthersMayWriteIsNotRun) {
  jit::save_cubin("key", "code");
  ASSERT_TRUE(jit::load_cubin("key"));
  for (const auto& file : fs::directory_iterator(path("specialised")))
    fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(jit::load_cubin("key"));
  EXPECT_EQ(mode(path("specialised")), 0700u);
}

}  // namespace
}  // namespace convoscope
