// Folders as they are found on disks, and the names of files.
#include "app/files/folder_listing.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/files/file_names.h"
#include "app/files/paths.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

namespace fs = std::filesystem;

void touch(const std::string& path) { std::ofstream(path) << "x"; }

FolderListing list(FolderQuestion question) {
  const std::atomic<bool> never{false};
  std::atomic<std::size_t> read{0};
  return list_folder(question, never, read);
}

std::vector<std::string> names(const FolderListing& listing) {
  std::vector<std::string> all;
  for (const FileEntry& entry : listing.entries) all.push_back(entry.name);
  return all;
}

using Names = std::vector<std::string>;

TEST(FolderListing, FoldersFirstThenWhatPlaysInTheOrderOfCounting) {
  const std::string folder = fresh_folder("listing");
  for (const char* name : {"clip10.mp4", "clip2.mp4", "Clip1.mkv", "a.txt", "photo.JPG", ".hidden.mp4"})
    touch(folder + "/" + name);
  fs::create_directory(folder + "/zoo");
  fs::create_symlink("/nowhere", folder + "/broken.mp4");
  const FolderListing listing = list({.folder = folder});
  EXPECT_EQ(names(listing), (Names{"zoo", "Clip1.mkv", "clip2.mp4", "clip10.mp4", "photo.JPG", "a.txt"}));
  EXPECT_EQ(listing.entries[0].kind, FileKind::folder);
  EXPECT_EQ(listing.entries[4].kind, FileKind::picture);
  EXPECT_EQ(listing.pictures, 1u);
  EXPECT_EQ(names(list({.folder = folder, .contains = "CLIP1"})), (Names{"Clip1.mkv", "clip10.mp4"}));
  EXPECT_EQ(names(list({.folder = folder, .contains = "clip", .begins = true})), (Names{"clip2.mp4", "clip10.mp4"}));
  EXPECT_EQ(names(list({.folder = folder, .contains = ".h"})), (Names{".hidden.mp4"}));
  EXPECT_EQ(names(list({.folder = folder, .wanted = FileKind::other}))[1], "a.txt");
}

TEST(FolderListing, OnlyFoldersAndFilesOfTheEndingsThatAreAskedFor) {
  const std::string folder = fresh_folder("listing-endings");
  for (const char* name : {"bank.json", "bank.NPY", "times.csv", "photo.jpg", "json"}) touch(folder + "/" + name);
  fs::create_directory(folder + "/zoo");
  EXPECT_EQ(names(list({.folder = folder, .wanted = FileKind::data, .endings = {"json", "npy"}})),
            (Names{"zoo", "bank.json", "bank.NPY"}));
}

TEST(FolderListing, TheNewestFirstWhenAsked) {
  const std::string folder = fresh_folder("listing-dates");
  for (const char* name : {"a.mp4", "b.mp4", "c.mp4"}) touch(folder + "/" + name);
  const auto now = fs::last_write_time(folder + "/a.mp4");
  fs::last_write_time(folder + "/b.mp4", now + std::chrono::hours(2));
  fs::last_write_time(folder + "/c.mp4", now + std::chrono::hours(1));
  EXPECT_EQ(names(list({.folder = folder, .order = FileOrder::date})), (Names{"b.mp4", "c.mp4", "a.mp4"}));
}

TEST(FolderListing, SaysWhyAFolderCannotBeRead) {
  const std::string folder = fresh_folder("listing-bad");
  EXPECT_NE(list({.folder = folder + "/none"}).problem.find("There is no folder"), std::string::npos);
  touch(folder + "/file");
  EXPECT_NE(list({.folder = folder + "/file"}).problem.find("is not a folder"), std::string::npos);
}

TEST(FolderListing, AnyBytesMayBeANameAndAreShownAsALine) {
  const std::string folder = fresh_folder("listing-names");
  const std::string odd = "two\nlines \xff\xc3.mp4";
  touch(folder + "/" + odd);
  ASSERT_EQ(names(list({.folder = folder})), Names{odd});
  EXPECT_EQ(printable(odd), "two?lines ??.mp4");
  EXPECT_EQ(printable("µ 日本.mp4"), "µ 日本.mp4");
}

TEST(FolderListing, AHugeFolderIsCutAndCanBeSearched) {
  const std::string folder = fresh_folder("listing-huge");
  const std::string count = std::to_string(most_listed + 5);
  ASSERT_EQ(run("cd '" + folder + "' && seq 1 " + count + " | xargs touch"), 0);
  const FolderListing listing = list({.folder = folder});
  EXPECT_TRUE(listing.cut);
  EXPECT_EQ(listing.entries.size(), most_listed);
  EXPECT_EQ(names(list({.folder = folder, .contains = count})), Names{count});
  std::atomic<bool> stop{true};
  std::atomic<std::size_t> read{0};
  EXPECT_TRUE(list_folder({.folder = folder}, stop, read).entries.empty()) << "given up at once";
  fs::remove_all(folder);
}

TEST(FolderListing, FactsAboutAPath) {
  const std::string folder = fresh_folder("facts");
  touch(folder + "/there");
  EXPECT_TRUE(facts_about(folder + "/there").exists);
  EXPECT_TRUE(facts_about(folder).folder);
  EXPECT_FALSE(facts_about(folder + "/new").exists);
  EXPECT_TRUE(facts_about(folder + "/new").has_folder);
  EXPECT_TRUE(facts_about(folder + "/new").writable);
  EXPECT_FALSE(facts_about(folder + "/none/new").has_folder);
  EXPECT_FALSE(facts_about("/proc/sys/new").exists);
}

TEST(Paths, AreCompletedToWholeOnes) {
  ::setenv("HOME", "/home/ann", 1);
  EXPECT_EQ(expand_home("~/a.mp4"), "/home/ann/a.mp4");
  EXPECT_EQ(expand_home("~bob/a.mp4"), "~bob/a.mp4");
  EXPECT_EQ(whole_path("a/../b.mp4", "/class"), "/class/b.mp4");
  EXPECT_EQ(whole_path("~", "/class"), "/home/ann");
  EXPECT_EQ(whole_path("/x/", "/class"), "/x");
  EXPECT_EQ(split_typed("clips/do", "/class").folder, "/class/clips");
  EXPECT_EQ(split_typed("clips/do", "/class").rest, "do");
  EXPECT_EQ(split_typed("~", "/class").folder, "/home/ann");
  EXPECT_EQ(split_typed("/", "/class").folder, "/");
}

TEST(FileNames, PatternsAreFilledInAndNothingIsReplaced) {
  std::tm day{};
  day.tm_year = 126;
  day.tm_mon = 10;
  day.tm_mday = 22;
  day.tm_hour = 9;
  day.tm_min = 5;
  day.tm_sec = 7;
  day.tm_isdst = -1;
  const NameFacts facts{"recording", "/clips/my cat.mp4", "gaussian", std::mktime(&day)};
  EXPECT_EQ(fill_name("{source}-{kind}-{date}-{time}-{filter}", facts), "my cat-recording-2026-11-22-090507-gaussian");
  EXPECT_EQ(fill_name("../a:b/{number}", facts, 7), "-a-b-007");
  EXPECT_EQ(fill_name("", facts), "convoscope");
  EXPECT_LE(fill_name(std::string(500, 'x'), facts).size(), 120u);
  const std::string folder = fresh_folder("free");
  touch(folder + "/a-001.mkv");
  touch(folder + "/b.mkv");
  EXPECT_EQ(free_path(folder, "a-{number}", facts, "mkv"), folder + "/a-002.mkv");
  EXPECT_EQ(free_path(folder, "b", facts, "mkv"), folder + "/b-2.mkv");
  std::ofstream(folder + "/c.part.mkv") << "of a run that was killed";
  EXPECT_EQ(free_path(folder, "c", facts, "mkv"), folder + "/c-2.mkv");
  NameFacts longest = facts;
  longest.source = "/clips/" + std::string(250, 'x') + ".mp4";
  touch(folder + "/" + std::string(120, 'x') + ".mkv");
  EXPECT_EQ(free_path(folder, "{source}-{number}", longest, "mkv"), folder + "/" + std::string(120, 'x') + "-2.mkv");
  const std::vector<std::string> endings{"mkv", "mp4"};
  EXPECT_EQ(with_ending("/x/a", endings), "/x/a.mkv");
  EXPECT_EQ(with_ending("/x/a.MP4", endings), "/x/a.MP4");
  EXPECT_EQ(with_ending("/x.y/a.b", endings), "/x.y/a.b.mkv");
}

}  // namespace
}  // namespace convoscope::test
