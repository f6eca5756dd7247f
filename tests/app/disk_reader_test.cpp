// What the window asks of the disk is answered by threads that end with their owner.
#include "app/jobs/disk_reader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

namespace convoscope {
namespace {

namespace fs = std::filesystem;

class DiskReaderTest : public ::testing::Test {
 protected:
  DiskReaderTest() {
    char name[] = "/tmp/convoscope-disk-XXXXXX";
    folder = mkdtemp(name);
    for (const char* file : {"a.mp4", "b.mp4"}) std::ofstream(folder + "/" + file) << "x";
  }
  ~DiskReaderTest() override { fs::remove_all(folder); }

  // Asks the same in every frame, as the window does.
  bool wait_for(const FileQuestions& questions, const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      FileQuestions asked = questions;
      disk.answer(std::move(asked), answers);
      while (const auto made = disk.take_thumbnail()) thumbnails.push_back(made->path);
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

  std::string folder;
  FileAnswers answers;
  std::vector<std::string> thumbnails;
  DiskReader disk;
};

TEST_F(DiskReaderTest, ListsTheFolderThatIsAskedForLast) {
  FileQuestions questions;
  questions.folder = FolderQuestion{.folder = "/nowhere"};
  disk.answer(FileQuestions{questions}, answers);
  questions.folder->folder = folder;
  ASSERT_TRUE(wait_for(questions, [&] { return answers.folder && answers.folder->question.folder == folder; }));
  EXPECT_EQ(answers.folder->entries.size(), 2u);
  std::ofstream(folder + "/c.mp4") << "x";  // is seen without being asked anew
  EXPECT_TRUE(wait_for(questions, [&] { return answers.folder && answers.folder->entries.size() == 3; }));
  EXPECT_TRUE(wait_for({}, [&] { return !answers.folder; })) << "nobody asks any more";
}

TEST_F(DiskReaderTest, FactsFollowTheDisk) {
  FileQuestions questions;
  const std::string path = folder + "/new.json";
  questions.paths = {path};
  ASSERT_TRUE(wait_for(questions, [&] { return answers.paths.contains(path); }));
  EXPECT_FALSE(answers.paths[path].exists);
  std::ofstream(path) << "x";
  EXPECT_TRUE(wait_for(questions, [&] { return answers.paths[path].exists; }));
}

TEST_F(DiskReaderTest, FactsThatAreAskedForAgainAreNoneFromBefore) {
  FileQuestions questions;
  const std::string path = folder + "/new.json";
  questions.paths = {path};
  ASSERT_TRUE(wait_for(questions, [&] { return answers.paths.contains(path); }));
  std::ofstream(path) << "x";
  FileQuestions again = questions;
  again.look_again = true;
  disk.answer(std::move(again), answers);
  ASSERT_TRUE(wait_for(questions, [&] { return answers.paths.contains(path); }));
  EXPECT_TRUE(answers.paths[path].exists);
}

TEST_F(DiskReaderTest, EachThumbnailIsMadeOnceWhileItIsWanted) {
  FileQuestions questions;
  questions.folder = FolderQuestion{.folder = folder};
  questions.thumbnails = {folder + "/a.mp4", folder + "/b.mp4"};
  ASSERT_TRUE(wait_for(questions, [&] { return thumbnails.size() == 2; }));
  EXPECT_EQ(thumbnails, questions.thumbnails);
}

TEST_F(DiskReaderTest, EndsInTheMiddleOfItsWork) {
  FileQuestions questions;
  questions.folder = FolderQuestion{.folder = "/usr/lib"};
  questions.thumbnails = {folder + "/a.mp4"};
  disk.answer(std::move(questions), answers);  // and the destructor joins
}

}  // namespace
}  // namespace convoscope
