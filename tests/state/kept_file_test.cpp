#include "app/session/kept_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/session/session_json.h"
#include "app/session/text_file.h"
#include "kernels/files/part_mark.h"
#include "tests/cli/folder.h"
#include "tests/killed_writer.h"
#include "tests/state/everything.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

json content(const Folder& folder, const char* name = "settings.json") { return json::parse(folder.read(name)); }

TEST(KeptFile, AFirstStartHasNoFileAndSaysNothing) {
  const Folder folder;
  KeptFile file(folder / "new/folder/settings.json", "settings");
  EXPECT_EQ(file.read(), json::object());
  EXPECT_THAT(file.settle(), IsEmpty());
  EXPECT_EQ(file.write({{"a", 1}}), "");
  EXPECT_EQ(content(folder, "new/folder/settings.json"), (json{{"a", 1}}));
}

TEST(KeptFile, AFileWithAMistakeIsPutAsideAndUsedUpToIt) {
  const Folder folder;
  const std::string broken = "{\"light_theme\": true, \"vsync\": fals }";
  for (const char* aside : {"settings.json.broken", "settings.json.broken.2"}) {
    KeptFile file(folder.write("settings.json", broken), "settings");
    EXPECT_EQ(file.read()["light_theme"], true);
    EXPECT_EQ(folder.read("settings.json"), broken) << "reading changes nothing";
    const std::vector<std::string> said = file.settle();
    ASSERT_EQ(said.size(), 1u);
    EXPECT_THAT(said[0], HasSubstr(aside));
    EXPECT_EQ(folder.read(aside), broken);
    EXPECT_EQ(file.write({{"light_theme", true}}), "");
    EXPECT_EQ(content(folder), (json{{"light_theme", true}}));
  }
}

TEST(KeptFile, WhatIsNoObjectIsPutAsideToo) {
  const Folder folder;
  for (const char* text : {"", "{", "[]", "null", "\"text\"", "\xff\xfe\x00garbage", "{\"a\":1}}"}) {
    KeptFile file(folder.write("settings.json", text), "settings");
    EXPECT_TRUE(file.read().is_object());
    EXPECT_EQ(file.settle().size(), 1u) << text;
    EXPECT_FALSE(std::filesystem::exists(folder / "settings.json")) << text;
  }
}

TEST(KeptFile, KeysThatAreNotKnownStay) {
  const Folder folder;
  KeptFile file(folder.write("settings.json", R"({"of a later version": [1, 2], "vsync": true,
                                                   "window": {"width": 5, "monitor": "left"}})"),
                "settings");
  file.read();
  EXPECT_EQ(file.write({{"vsync", false}, {"window", {{"width", 7}}}}), "");
  EXPECT_EQ(content(folder), json::parse(R"({"of a later version": [1, 2], "vsync": false,
                                              "window": {"width": 7, "monitor": "left"}})"));
}

TEST(KeptFile, TwoWindowsKeepEachOthersChanges) {
  const Folder folder;
  const std::string path = folder.write("settings.json", R"({"light_theme": false, "vsync": true})");
  KeptFile one(path, "settings"), other(path, "settings");
  one.read();
  other.read();
  EXPECT_EQ(one.write({{"light_theme", true}, {"vsync", true}}), "");
  EXPECT_EQ(other.write({{"light_theme", false}, {"vsync", false}}), "");
  EXPECT_EQ(content(folder), (json{{"light_theme", true}, {"vsync", false}}));
}

TEST(KeptFile, AFileThatIsDeletedOrBrokenMeanwhileIsWrittenWhole) {
  const Folder folder;
  KeptFile file(folder.write("settings.json", R"({"a": 1, "b": 1})"), "settings");
  file.read();
  std::filesystem::remove(folder / "settings.json");
  EXPECT_EQ(file.write({{"a", 1}, {"b", 2}}), "");
  EXPECT_EQ(content(folder), (json{{"a", 1}, {"b", 2}}));
  folder.write("settings.json", "{\"a\": ");
  EXPECT_EQ(file.write({{"a", 1}, {"b", 3}}), "");
  EXPECT_EQ(content(folder), (json{{"a", 1}, {"b", 3}}));
  EXPECT_EQ(folder.read("settings.json.broken"), "{\"a\": ");
}

TEST(KeptFile, AFifoAFolderAndAHugeFileAreLeftAlone) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  std::filesystem::resize_file(folder.write("huge", "{"), 20 << 20);
  for (const char* name : {"fifo", "folder", "huge"}) {
    KeptFile file(folder / name, "settings");
    EXPECT_EQ(file.read(), json::object()) << name;
    ASSERT_EQ(file.settle().size(), 1u) << name;
    EXPECT_EQ(file.write({{"a", 1}}), "") << name;
  }
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "fifo"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "folder"));
  EXPECT_EQ(std::filesystem::file_size(folder / "huge"), 20u << 20);
}

TEST(KeptFile, AFolderThatCannotBeWrittenToIsASentence) {
  const Folder folder;
  KeptFile file(folder.write("file", "x") + "/settings.json", "settings");  // a file is no folder
  file.read();
  EXPECT_THAT(file.write({{"a", 1}}), HasSubstr("settings.json"));
}

TEST(KeptFile, NamesAllVariablesThatWouldSayWhereItIs) {
  for (const char* const what : {"settings", "session"})
    EXPECT_EQ(KeptFile("", what).write({{"a", 1}}),
              "Neither XDG_CONFIG_HOME and XDG_STATE_HOME nor HOME are set to absolute paths, so what you set is not "
              "kept. Set HOME to keep it.");
}

TEST(TextFile, LeavesNothingBesideAndKeepsALink) {
  const Folder folder;
  std::filesystem::create_symlink(folder / "real.json", folder / "settings.json");
  folder.write("real.json", "old");
  EXPECT_EQ(replace_file(folder / "settings.json", "new"), "");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "settings.json"));
  EXPECT_EQ(folder.read("real.json"), "new");
  EXPECT_EQ(files_in(folder.path()), 2);
}

TEST(TextFile, AKilledWritersDraftIsGoneAfterTheNextSave) {
  const Folder folder;
  if (!keeps_attributes(folder)) GTEST_SKIP() << "the file system keeps no attributes";
  const std::string path = folder.write("settings.json", "before");
  for (int i = 0; i < 3; ++i) killed_while([&] { replace_file(path, std::string(most_of_killed * 2, 'x')); });
  EXPECT_EQ(folder.read("settings.json"), "before");
  EXPECT_EQ(files_in(folder.path()), 2) << "it has left one";
  EXPECT_EQ(replace_file(path, "new"), "");
  EXPECT_EQ(folder.read("settings.json"), "new");
  EXPECT_EQ(files_in(folder.path()), 1);
}

// Nor is what another window writes at the moment.
TEST(TextFile, NobodyElsesFileIsTakenForADraft) {
  const Folder folder;
  folder.write("settings.json.new", "mine");
  const Descriptor other(::open((folder / "settings.json.new-2").c_str(), O_RDWR | O_CREAT, 0600));
  begin_part(other);
  EXPECT_EQ(replace_file(folder / "settings.json", "new"), "");
  EXPECT_EQ(folder.read("settings.json"), "new");
  EXPECT_EQ(folder.read("settings.json.new"), "mine");
  EXPECT_TRUE(std::filesystem::exists(folder / "settings.json.new-2"));
  EXPECT_EQ(files_in(folder.path()), 3);
}

}  // namespace
}  // namespace convoscope
