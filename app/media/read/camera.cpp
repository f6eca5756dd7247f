#include "app/media/read/camera.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace convoscope {
namespace {

class File {
 public:
  explicit File(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)), error_(descriptor_ < 0 ? errno : 0) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int error() const { return error_; }  // why it is not open

  // False at the end of an enumeration, and for a device that has been unplugged meanwhile.
  template <class Argument>
  bool ask(unsigned long request, Argument& argument) const {
    int status;
    do status = ::ioctl(descriptor_, request, &argument);
    while (status < 0 && errno == EINTR);
    return status == 0;
  }

 private:
  int descriptor_, error_;
};

// A camera has several device files, numbered by the kernel; only the first of them gives pictures.
bool is_secondary(int device) {
  std::ifstream file("/sys/class/video4linux/video" + std::to_string(device) + "/index");
  int index = 0;
  return file >> index && index > 0;
}

// FFmpeg's names, which its option input_format understands; null for formats it does not read.
const char* format_name(std::uint32_t fourcc) {
  switch (fourcc) {
    case V4L2_PIX_FMT_MJPEG:
    case V4L2_PIX_FMT_JPEG:
      return "mjpeg";
    case V4L2_PIX_FMT_H264:
      return "h264";
    case V4L2_PIX_FMT_HEVC:
      return "hevc";
    case V4L2_PIX_FMT_YUYV:
      return "yuyv422";
    case V4L2_PIX_FMT_UYVY:
      return "uyvy422";
    case V4L2_PIX_FMT_NV12:
      return "nv12";
    case V4L2_PIX_FMT_YUV420:
      return "yuv420p";
    case V4L2_PIX_FMT_YUV422P:
      return "yuv422p";
    case V4L2_PIX_FMT_RGB24:
      return "rgb24";
    case V4L2_PIX_FMT_BGR24:
      return "bgr24";
    case V4L2_PIX_FMT_GREY:
      return "gray";
    case V4L2_PIX_FMT_Y16:
      return "gray16le";
    default:
      return nullptr;
  }
}

constexpr std::uint32_t most_entries = 64;  // entries of one enumeration: a faulty driver may never end one

void list_rates(const File& file, std::uint32_t fourcc, CameraMode mode, std::vector<CameraMode>& modes) {
  bool any = false;
  for (std::uint32_t i = 0; i < most_entries; ++i) {
    v4l2_frmivalenum interval{};
    interval.index = i;
    interval.pixel_format = fourcc;
    interval.width = static_cast<std::uint32_t>(mode.width);
    interval.height = static_cast<std::uint32_t>(mode.height);
    if (!file.ask(VIDIOC_ENUM_FRAMEINTERVALS, interval)) break;
    // A range is listed by its fastest rate: the shortest interval.
    const v4l2_fract time = interval.type == V4L2_FRMIVAL_TYPE_DISCRETE ? interval.discrete : interval.stepwise.min;
    if (time.numerator == 0) continue;
    mode.rate = static_cast<double>(time.denominator) / time.numerator;
    modes.push_back(mode);
    any = true;
    if (interval.type != V4L2_FRMIVAL_TYPE_DISCRETE) break;
  }
  if (!any) modes.push_back(mode);
}

std::vector<CameraMode> list_modes(const File& file) {
  std::vector<CameraMode> modes;
  for (std::uint32_t f = 0; f < most_entries; ++f) {
    v4l2_fmtdesc format{};
    format.index = f;
    format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (!file.ask(VIDIOC_ENUM_FMT, format)) break;
    const char* name = format_name(format.pixelformat);
    if (!name) continue;
    for (std::uint32_t s = 0; s < most_entries; ++s) {
      v4l2_frmsizeenum size{};
      size.index = s;
      size.pixel_format = format.pixelformat;
      if (!file.ask(VIDIOC_ENUM_FRAMESIZES, size)) break;
      CameraMode mode;
      mode.format = name;
      if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
        mode.width = static_cast<int>(size.discrete.width);
        mode.height = static_cast<int>(size.discrete.height);
        list_rates(file, format.pixelformat, mode, modes);
        continue;
      }
      // Any size within limits: offer the usual ones that fit.
      constexpr int usual[][2] = {{640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}};
      for (const auto& [width, height] : usual) {
        if (static_cast<unsigned>(width) > size.stepwise.max_width ||
            static_cast<unsigned>(height) > size.stepwise.max_height)
          continue;
        mode.width = width;
        mode.height = height;
        list_rates(file, format.pixelformat, mode, modes);
      }
      break;
    }
  }
  return modes;
}

}  // namespace

std::vector<Camera> list_cameras() {
  std::vector<Camera> cameras;
  for (int device = 0; device < 64; ++device) {
    Camera camera;
    camera.path = "/dev/video" + std::to_string(device);
    const File file(camera.path);
    const bool refused = !file && (file.error() == EACCES || file.error() == EPERM || file.error() == EBUSY);
    if (refused && !is_secondary(device)) {
      camera.name = camera.path;
      camera.problem = why_no_camera(camera.path, file.error());
      cameras.push_back(std::move(camera));
      continue;
    }
    v4l2_capability capability{};
    if (!file || !file.ask(VIDIOC_QUERYCAP, capability)) continue;
    const std::uint32_t able =
        capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps : capability.capabilities;
    if (!(able & V4L2_CAP_VIDEO_CAPTURE)) continue;
    const auto* name = reinterpret_cast<const char*>(capability.card);
    camera.name.assign(name, std::find(name, name + sizeof capability.card, '\0'));
    camera.modes = list_modes(file);
    cameras.push_back(std::move(camera));
  }
  return cameras;
}

std::string why_no_camera(const std::string& name, int error) {
  const std::string quoted = "The camera '" + name + "'";
  switch (error) {
    case EACCES:
    case EPERM:
      return quoted + " may not be used: permission denied. Add yourself to the group 'video' and log in again.";
    case EBUSY:
      return quoted + " is used by another program. Close that program, or choose another source.";
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EIO:
      return quoted + " is not there or was unplugged. Plug it in, or choose another source.";
    case EINVAL:
      return quoted + " does not offer this format, size or rate. Choose one from its list.";
    case ETIMEDOUT:
      return quoted + " sends no picture. Unplug it and plug it in again, or choose another source.";
    default:
      return "";
  }
}

}  // namespace convoscope
