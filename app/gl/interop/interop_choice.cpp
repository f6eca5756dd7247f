// The textures of the panes, and which path fills them.

#include <utility>

#include "app/files/log.h"
#include "app/gl/gl_objects.h"
#include "app/gl/interop/interop.h"
#include "app/gl/interop/present_path.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

class ChosenInterop final : public Interop {
 public:
  ChosenInterop(Compute& compute, std::unique_ptr<PresentPath> first, const std::string& reason)
      : compute_(compute), path_(std::move(first)) {
    if (!path_) fall_back(reason);
  }
  ~ChosenInterop() override { path_.reset(); }  // before the textures it has registered

  void resize(int count, int width, int height, PixelFormat format) override {
    if (count == static_cast<int>(panes_.size()) &&
        (panes_.empty() || (width == panes_[0].width && height == panes_[0].height && format == panes_[0].format)))
      return;
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (width > largest || height > largest)
      throw Error("The picture of " + std::to_string(width) + " × " + std::to_string(height) +
                  " pixels is too large to be shown: this graphics driver's limit is " + std::to_string(largest) +
                  " each way. Choose a smaller size.");
    path_->bind({});
    begun_ = taken_ = false;
    panes_.clear();
    textures_.clear();
    for (int i = 0; i < count; ++i) {
      textures_.push_back(make_texture(width, height, format));
      panes_.push_back({textures_.back().get(), width, height, format});
    }
    try {
      path_->bind(panes_);
    } catch (const InteropFailure& failure) {
      fall_back(failure.what());
    }
  }

  std::span<const PaneTexture> textures() const override { return panes_; }

  void begin() override {
    if (begun_ || panes_.empty()) return;
    attempt(&PresentPath::begin);
    begun_ = true;
  }

  void take_ahead() override {
    if (begun_ || taken_ || panes_.empty()) return;
    attempt(&PresentPath::take_ahead);
    taken_ = true;
  }

  void give_back() override {
    if (begun_ || taken_) path_->give_back();
    begun_ = taken_ = false;
  }

  void present(std::span<const Image> images) override {
    if (images.size() != panes_.size()) throw std::logic_error("present() takes one image for each texture");
    for (std::size_t i = 0; i < images.size(); ++i)
      if (images[i].width != panes_[i].width || images[i].height != panes_[i].height ||
          images[i].format != panes_[i].format)
        throw std::logic_error("present() takes images of the size and format that resize() was given");
    if (images.empty()) return;
    begin();
    try {
      begun_ = taken_ = false;
      path_->present(images);
    } catch (const InteropFailure& failure) {
      fall_back(failure.what());
      path_->present(images);
    }
  }

  std::optional<double> poll_ms() override { return path_->poll_ms(); }
  std::string notice() const override { return notice_; }

 private:
  static gl::Texture make_texture(int width, int height, PixelFormat format) {
    gl::Texture texture = gl::make_texture();
    const bool gray = format == PixelFormat::gray32f;
    glTextureStorage2D(texture.get(), 1, gray ? GL_R32F : GL_RGBA8, width, height);
    glTextureParameteri(texture.get(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    constexpr GLint shown_as_gray[] = {GL_RED, GL_RED, GL_RED, GL_ONE};
    if (gray) glTextureParameteriv(texture.get(), GL_TEXTURE_SWIZZLE_RGBA, shown_as_gray);
    return texture;
  }

  void attempt(void (PresentPath::*step)()) {
    try {
      (path_.get()->*step)();
    } catch (const InteropFailure& failure) {
      fall_back(failure.what());
    }
  }

  void fall_back(const std::string& reason) {
    if (!reason.empty()) {
      notice_ = reason + " Until then every frame goes through the host's memory, which is slower.";
      log::warn(notice_);
    }
    path_ = make_host_path(compute_);
    path_->bind(panes_);
  }

  Compute& compute_;
  std::vector<gl::Texture> textures_;
  std::vector<PaneTexture> panes_;
  std::unique_ptr<PresentPath> path_;
  std::string notice_;
  bool begun_ = false, taken_ = false;
};

}  // namespace

std::unique_ptr<Interop> make_interop(Compute& compute, std::unique_ptr<PresentPath> first, const std::string& reason) {
  return std::make_unique<ChosenInterop>(compute, std::move(first), reason);
}

std::unique_ptr<Interop> make_interop(Compute& compute) {
  if (compute.device().backend != Backend::cuda) return make_interop(compute, nullptr, "");
  try {
    return make_interop(compute, make_cuda_path(compute), "");
  } catch (const InteropFailure& failure) {
    return make_interop(compute, nullptr, failure.what());
  }
}

}  // namespace convoscope
