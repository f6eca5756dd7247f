#pragma once
// The sheets that open and save, and a disk that they ask.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/ui/harness.h"

namespace convoscope::test {

// A disk that answers from one frame to the next.
class Sheets : public ::testing::Test {
 protected:
  Sheets() {
    ui.stats.files.started_in = "/class";
    ui.settings.recording.name = "shot-{number}";
    files["/class"] = {{"clips", FileKind::folder},
                       {"bird.mp4", FileKind::video},
                       {"bird2.mp4", FileKind::video},
                       {"cat.png", FileKind::picture}};
    files["/class/clips"] = {{"dog.mkv", FileKind::video}};
    files["/full"] = {};
  }

  void frames(int count = 3) {
    for (int i = 0; i < count; ++i) {
      ui.requests.files = {};
      ui.frame();
      answer();
    }
  }
  void answer() {
    const FileQuestions& asked = ui.requests.files;
    ui.stats.files.folder.reset();
    if (asked.folder && !is_slow) {
      FolderListing listing;
      listing.question = *asked.folder;
      if (const auto found = files.find(asked.folder->folder); found == files.end())
        listing.problem = "There is no such folder.";
      else
        for (const FileEntry& entry : found->second)
          if (entry.name.find(asked.folder->contains) != std::string::npos) {
            listing.entries.push_back(entry);
            listing.pictures += entry.kind == FileKind::picture;
          }
      ui.stats.files.folder = std::make_shared<const FolderListing>(std::move(listing));
    }
    ui.stats.files.paths.clear();
    if (paths_are_slow) return;
    for (const std::string& path : asked.paths) {
      PathFacts& facts = ui.stats.files.paths[path];
      facts.exists = existing.contains(path) || files.contains(path);
      facts.folder = files.contains(path);
      facts.has_folder = path.starts_with("/class") || path.starts_with("/full");
      facts.writable = !path.starts_with("/full");
    }
  }
  void key(int code, int modifiers = 0) {
    handle_key({code, modifiers}, ui.stats, ui.settings, ui.requests);
    frames(6);
  }
  void type(const std::string& text) {
    ui.type(text);
    frames(6);
  }
  void click(const std::string& item) {
    frames(3);
    ui.move_to(item);
    frames(2);
    ui.press();
    answer();
    ui.release();
    answer();
    frames(40);
  }

  Harness ui{typical_sample(), 1600, 1000};
  std::map<std::string, std::vector<FileEntry>> files;
  std::set<std::string> existing;
  bool is_slow = false;         // no folder is read in the time that a test takes
  bool paths_are_slow = false;  // the same of what is asked of single files
};

}  // namespace convoscope::test
