#include "app/capture/last_seconds.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace convoscope {
namespace {

constexpr double kept_seconds = 5, rate = 12.5;
constexpr std::size_t most_frames = 63;
constexpr double most_kept_pixels = 480 * 360;
constexpr int longest_side = 480;

}  // namespace

LastSeconds::LastSeconds() : tap_(PictureTap::make()), compositor_(Compositor::make()) {}

void LastSeconds::fit(const Rectangle& area) {
  if (width_ > 0 && area.width == shown_width_ && area.height == shown_height_) return;
  const double across = std::max(area.width, 1.0f), down = std::max(area.height, 1.0f);
  const double scale =
      std::min({1.0, longest_side / std::max(across, down), std::sqrt(most_kept_pixels / (across * down))});
  width_ = std::max(2, static_cast<int>(across * scale));
  height_ = std::max(2, static_cast<int>(down * scale));
  frames_.clear();  // pictures of one size make an animation
  planes_ = planes_of(PictureLayout::bgr0, width_, height_);
  shown_width_ = shown_height_ = 0;  // should the tap have no memory, it is asked again
  tap_->start(planes_, width_, height_);
  shown_width_ = area.width;
  shown_height_ = area.height;
}

// The pictures are small enough to be copied here.
void LastSeconds::collect() {
  LentPicture picture;
  const auto row = static_cast<std::size_t>(width_) * 4;
  while (tap_->deliver(picture, false)) {
    AnimationFrame frame;
    if (frames_.size() >= most_frames) {
      frame = std::move(frames_.front());
      frames_.pop_front();
    }
    frame.seconds = picture.seconds;
    frame.bgra.resize(row * static_cast<std::size_t>(height_));
    for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y)
      std::memcpy(frame.bgra.data() + y * row, picture.bytes + y * planes_.pitch[0], row);
    frames_.push_back(std::move(frame));
  }
  while (!frames_.empty() && frames_.front().seconds < frames_.back().seconds - kept_seconds) frames_.pop_front();
}

void LastSeconds::take_picture(double seconds, std::span<const PaneTexture> panes, Composition view) {
  collect();
  if (seconds < next_ || panes.empty() || view.area.width < 2 || view.area.height < 2) return;
  next_ = std::max(next_ + 1 / rate, seconds);
  fit(view.area);
  view.line_scale *= static_cast<float>(width_) / view.area.width;
  view.area = {0, 0, static_cast<float>(width_), static_cast<float>(height_)};
  tap_->draw([&] { compositor_->draw(panes, view); });
  LentPicture about;
  about.seconds = seconds;
  tap_->take_picture(about);  // all buffers in flight: this moment is left out
}

Animation LastSeconds::release() {
  Animation animation{width_, height_, {}};
  for (AnimationFrame& frame : frames_) animation.frames.push_back(std::move(frame));
  frames_.clear();
  return animation;
}

double LastSeconds::seconds() const { return frames_.empty() ? 0 : frames_.back().seconds - frames_.front().seconds; }

std::int64_t LastSeconds::bytes() const { return static_cast<std::int64_t>(frames_.size()) * width_ * height_ * 4; }

}  // namespace convoscope
