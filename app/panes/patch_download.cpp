#include "app/panes/patch_download.h"

#include <algorithm>
#include <cstring>

namespace convoscope {

PatchDownload::PatchDownload(Compute& compute, std::size_t capacity_bytes)
    : compute_(compute),
      memory_(compute.allocate_host(capacity_bytes)),
      capacity_(capacity_bytes),
      mark_(compute.make_timer()) {}

void PatchDownload::begin() {
  patches_.clear();
  used_ = 0;
  state_ = State::empty;
}

bool PatchDownload::add(const Image& image, const PixelArea& area, Memory memory) {
  const std::size_t row = static_cast<std::size_t>(area.width) * bytes_per_pixel(image.format);
  const std::size_t bytes = row * static_cast<std::size_t>(area.height);
  if (bytes > capacity_ - used_) return false;
  auto* const to = static_cast<std::byte*>(memory_.get()) + used_;
  Image from = image;
  from.data = static_cast<std::byte*>(image.data) + static_cast<std::size_t>(area.y) * image.pitch +
              static_cast<std::size_t>(area.x) * bytes_per_pixel(image.format);
  from.width = area.width;
  from.height = area.height;
  if (memory == Memory::device)
    compute_.start_download(from, {to, area.width, area.height, row, image.format});
  else
    for (std::size_t y = 0; y < static_cast<std::size_t>(area.height); ++y)
      std::memcpy(to + y * row, static_cast<const std::byte*>(from.data) + y * from.pitch, row);
  patches_.push_back({area, image.format, reinterpret_cast<const std::uint32_t*>(to)});
  used_ += bytes;
  return true;
}

void PatchDownload::end() {
  mark_->start(compute_.stream());
  mark_->stop(compute_.stream());
  state_ = State::under_way;
}

bool PatchDownload::arrived() {
  if (state_ == State::under_way && mark_->poll_ms()) state_ = State::arrived;
  return state_ == State::arrived;
}

std::vector<Run> border_runs(int first, int count, int size, Border border) {
  std::vector<int> places;
  for (int i = first; i < first + count; ++i)
    if (const int place = border_index(i, size, border); place >= 0) places.push_back(place);
  std::ranges::sort(places);
  std::vector<Run> runs;
  for (const int place : places) {
    if (!runs.empty() && place < runs.back().first + runs.back().count) continue;  // seen before
    if (!runs.empty() && place == runs.back().first + runs.back().count)
      ++runs.back().count;
    else
      runs.push_back({place, 1});
  }
  return runs;
}

}  // namespace convoscope
