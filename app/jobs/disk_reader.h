#pragma once
// Answers what the window asks of the disk: one thread reads folders and facts, another makes thumbnails, so that a
// slow disk holds up neither the window nor each other. Both are joined; what is no longer asked for is given up.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/media/read/thumbnail.h"
#include "app/state/files.h"

namespace convoscope {

inline constexpr int thumbnail_width = 128, thumbnail_height = 72;

class DiskReader {
 public:
  DiskReader();
  ~DiskReader();

  // Once a frame, never waits: takes what is asked now, and puts into the answers what has been found out. Answers that
  // nobody asks for any more are dropped.
  void answer(FileQuestions&&, FileAnswers&);

  struct Made {
    std::string path;
    ThumbnailPixels pixels;
  };
  std::optional<Made> take_thumbnail();  // one that was finished, never the same one twice

 private:
  void read_folders();
  void make_thumbnails();
  void look_at_paths(std::unique_lock<std::mutex>&);

  std::mutex mutex_;
  std::condition_variable asked_;
  bool closing_ = false;

  std::optional<FolderQuestion> folder_;  // asked for
  std::shared_ptr<const FolderListing> listing_;
  std::atomic<bool> give_up_{false};
  std::atomic<std::size_t> entries_read_{0};
  double listed_at_ = 0;

  std::vector<std::string> paths_;
  std::map<std::string, PathFacts> facts_;
  double looked_at_ = 0;
  unsigned times_asked_ = 0;  // to look again

  std::vector<std::string> wanted_;  // thumbnails
  std::set<std::string> tried_;      // of those: made, or being made
  std::string making_;
  Interrupt interrupt_;
  std::deque<Made> made_;

  // Last: they use all of the above. The destructor tells both to give up and joins them, which takes as long as the
  // disk does for what it is just asked.
  std::thread folders_, thumbnails_;
};

}  // namespace convoscope
