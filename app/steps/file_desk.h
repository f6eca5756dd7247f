#pragma once
// What the window asks of the disk: folders, facts about files, and thumbnails in a texture.
#include <memory>

#include "app/gl/thumbnail_atlas.h"
#include "app/jobs/disk_reader.h"
#include "app/state/files.h"

namespace convoscope {

class FileDesk {
 public:
  // Once a frame, with the context current; never waits.
  void answer(FileQuestions&&, FileAnswers&);
  bool is_awaited() const { return awaited_; }  // something was asked that has no answer yet
  void end_threads() { disk_.reset(); }

 private:
  std::unique_ptr<DiskReader> disk_;            // once the window has asked
  std::unique_ptr<ThumbnailAtlas> thumbnails_;  // while a list shows some
  bool awaited_ = false;
};

}  // namespace convoscope
