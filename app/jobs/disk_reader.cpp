#include "app/jobs/disk_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/files/folder_listing.h"

namespace convoscope {
namespace {

constexpr double facts_last = 1, listing_lasts = 3;  // seconds; then the disk is looked at again
constexpr std::size_t most_made = 8;                 // thumbnails that wait to be taken

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

DiskReader::DiskReader() : folders_([this] { read_folders(); }), thumbnails_([this] { make_thumbnails(); }) {}

DiskReader::~DiskReader() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    give_up_ = true;
    interrupt_.stop = true;
  }
  asked_.notify_all();
  folders_.join();
  thumbnails_.join();
}

void DiskReader::answer(FileQuestions&& questions, FileAnswers& answers) {
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    changed = folder_ != questions.folder || paths_ != questions.paths || wanted_ != questions.thumbnails ||
              questions.look_again;
    if (folder_ != questions.folder) {
      // Another part of the names or another order of the same folder is shown when it is there, without a gap.
      if (!questions.folder || !folder_ || questions.folder->folder != folder_->folder) listing_.reset();
      folder_ = std::move(questions.folder);
      give_up_ = true;
      listed_at_ = 0;
    }
    if (paths_ != questions.paths) {
      paths_ = std::move(questions.paths);
      std::erase_if(facts_, [&](const auto& known) { return std::ranges::find(paths_, known.first) == paths_.end(); });
      looked_at_ = 0;
    }
    if (questions.look_again) {
      facts_.clear();
      looked_at_ = 0;
      ++times_asked_;
    }
    if (wanted_ != questions.thumbnails) {
      wanted_ = std::move(questions.thumbnails);
      std::erase_if(tried_, [&](const auto& path) { return std::ranges::find(wanted_, path) == wanted_.end(); });
      if (!making_.empty() && std::ranges::find(wanted_, making_) == wanted_.end()) interrupt_.stop = true;
    }
    answers.folder = listing_;
    answers.entries_read = entries_read_;
    answers.paths = facts_;
  }
  if (changed) asked_.notify_all();
}

std::optional<DiskReader::Made> DiskReader::take_thumbnail() {
  const std::lock_guard lock(mutex_);
  if (made_.empty()) return {};
  Made made = std::move(made_.front());
  made_.pop_front();
  asked_.notify_all();  // there is room for another
  return made;
}

void DiskReader::look_at_paths(std::unique_lock<std::mutex>& lock) {
  looked_at_ = now_seconds();
  const std::vector<std::string> paths = paths_;
  const unsigned times_asked = times_asked_;
  lock.unlock();
  std::map<std::string, PathFacts> facts;
  for (const std::string& path : paths) facts[path] = facts_about(path);
  lock.lock();
  if (paths == paths_ && times_asked == times_asked_) facts_ = std::move(facts);
}

void DiskReader::read_folders() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const double now = now_seconds();
    if (!paths_.empty() && now - looked_at_ > facts_last) {
      look_at_paths(lock);
    } else if (folder_ && now - listed_at_ > listing_lasts) {
      const FolderQuestion question = *folder_;
      give_up_ = closing_;
      lock.unlock();
      auto listing = std::make_shared<const FolderListing>(list_folder(question, give_up_, entries_read_));
      lock.lock();
      if (folder_ == question) {
        listing_ = std::move(listing);
        listed_at_ = now_seconds();
      }
    } else if (folder_ || !paths_.empty()) {
      asked_.wait_for(lock, std::chrono::milliseconds(500));
    } else {
      asked_.wait(lock, [&] { return closing_ || folder_ || !paths_.empty(); });
    }
  }
}

void DiskReader::make_thumbnails() {
  std::unique_lock lock(mutex_);
  const auto next = [&] {
    return std::ranges::find_if(wanted_, [&](const std::string& path) { return !tried_.contains(path); });
  };
  while (true) {
    asked_.wait(lock, [&] { return closing_ || (made_.size() < most_made && next() != wanted_.end()); });
    if (closing_) return;
    making_ = *next();
    tried_.insert(making_);
    interrupt_.stop = false;
    lock.unlock();
    ThumbnailPixels pixels = make_thumbnail(making_, thumbnail_width, thumbnail_height, interrupt_);
    lock.lock();
    if (interrupt_.stop)
      tried_.erase(making_);
    else
      made_.push_back({making_, std::move(pixels)});
    making_.clear();
  }
}

}  // namespace convoscope
