#pragma once
// Images that are used again once everybody has let go of them, so that frames need no memory of their own.
#include <vector>

#include "kernels/compute/compute.h"

namespace convoscope {

class ImagePool {
 public:
  explicit ImagePool(Compute& compute) : compute_(compute) {}

  // Contents undefined. Throws Error when the device is full.
  DeviceImage get(int width, int height, PixelFormat format) {
    std::erase_if(images_, [&](const DeviceImage& i) { return !i.is_shared() && !i.fits(width, height, format); });
    for (const DeviceImage& image : images_)
      if (!image.is_shared()) return image;
    return images_.emplace_back(compute_.allocate(width, height, format));
  }

 private:
  Compute& compute_;
  std::vector<DeviceImage> images_;
};

}  // namespace convoscope
