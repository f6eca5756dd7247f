#include "app/steps/file_desk.h"

#include <algorithm>
#include <utility>

namespace convoscope {

void FileDesk::answer(FileQuestions&& questions, FileAnswers& answers) {
  if (!disk_ && (questions.folder || !questions.paths.empty())) disk_ = std::make_unique<DiskReader>();
  if (!disk_) return;
  const bool shown = questions.folder.has_value();
  if (!shown) thumbnails_.reset();
  const auto made = disk_->take_thumbnail();  // one a frame: an upload takes a moment
  if (made && shown) {
    if (!thumbnails_) thumbnails_ = ThumbnailAtlas::make(thumbnail_width, thumbnail_height);
    thumbnails_->put(made->path, made->pixels.width, made->pixels.height, made->pixels.rgba);
  }
  answers.thumbnail_texture = thumbnails_ ? thumbnails_->texture() : 0;
  answers.thumbnails = thumbnails_ ? thumbnails_->find(questions.thumbnails) : decltype(answers.thumbnails){};
  std::erase_if(questions.thumbnails, [&](const std::string& path) { return answers.thumbnails.contains(path); });
  const auto is_known = [&](const std::string& path) { return answers.paths.contains(path); };
  awaited_ = questions.look_again || !questions.thumbnails.empty() || !std::ranges::all_of(questions.paths, is_known) ||
             (shown && (!answers.folder || answers.folder->question != *questions.folder));
  disk_->answer(std::move(questions), answers);
}

}  // namespace convoscope
