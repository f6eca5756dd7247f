// A camera for machines without one: preloaded into a program, it answers for /dev/video0 … /dev/video9 as a
// Video4Linux capture driver does. In the folder FAKE_CAMERA a file videoN is a camera that is plugged in; taking the
// file away unplugs it, in the middle of a stream too. The words in the file:
//   busy       another program streams from it: formats cannot be set      denied     opening it is not permitted
//   stalled    it streams and no picture ever comes                        metadata   it has no pictures, only headers
//   raw        it has no compressed format
// YUYV pictures are red on the left, blue on the right, with a white bar that moves below; MJPEG pictures are the
// folder's WIDTHxHEIGHT.jpg. A device is a file in memory: what maps or closes it needs nothing from here.
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Mode {
  std::uint32_t format, width, height, rate;
};
constexpr Mode modes[] = {{V4L2_PIX_FMT_YUYV, 640, 480, 30},   {V4L2_PIX_FMT_YUYV, 640, 480, 15},
                          {V4L2_PIX_FMT_YUYV, 320, 240, 30},   {V4L2_PIX_FMT_MJPEG, 640, 480, 30},
                          {V4L2_PIX_FMT_MJPEG, 1280, 720, 30}, {V4L2_PIX_FMT_MJPEG, 1280, 720, 60}};

constexpr std::size_t most_buffers = 32, buffer_bytes = 2 * 1280 * 720;

struct Device {
  int number = 0;
  Mode mode = modes[0];
  bool streaming = false;
  std::uint32_t sequence = 0;
  double due = 0;  // of the next picture, seconds
  std::size_t buffers = 0;
  std::vector<std::uint32_t> queued;
};

std::mutex mutex;
std::map<int, Device>& devices() {
  static auto* const open = new std::map<int, Device>;  // never destroyed: the program's threads may outlive statics
  return *open;
}

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string folder() {
  const char* name = std::getenv("FAKE_CAMERA");
  return name ? name : "";
}

bool plugged_in(int number) {
  return syscall(SYS_access, (folder() + "/video" + std::to_string(number)).c_str(), F_OK) == 0;
}

std::set<std::string> words(int number) {
  std::ifstream file(folder() + "/video" + std::to_string(number));
  return {std::istream_iterator<std::string>(file), {}};
}

// N of /dev/videoN; -1 for anything else.
int number_of(const char* path) {
  const std::string_view name = path ? path : "";
  constexpr std::string_view start = "/dev/video";
  if (folder().empty() || name.size() != start.size() + 1 || !name.starts_with(start)) return -1;
  return name.back() >= '0' && name.back() <= '9' ? name.back() - '0' : -1;
}

int fail(int error) {
  errno = error;
  return -1;
}

int open_device(int number, int flags) {
  if (!plugged_in(number)) return fail(ENOENT);
  if (words(number).contains("denied")) return fail(EACCES);
  const int file = memfd_create("camera", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, most_buffers * buffer_bytes) != 0) return fail(ENOMEM);
  fcntl(file, F_SETFL, flags & O_NONBLOCK);
  const std::lock_guard lock(mutex);
  devices()[file] = Device{number};
  return file;
}

int open_any(int folder_file, const char* path, int flags, unsigned mode) {
  const int number = number_of(path);
  if (number >= 0) return open_device(number, flags);
  return static_cast<int>(syscall(SYS_openat, folder_file, path, flags, mode));
}

std::string yuyv_picture(const Device& device) {
  const std::uint32_t width = device.mode.width, height = device.mode.height;
  constexpr unsigned char red[] = {81, 90, 81, 240}, blue[] = {41, 240, 41, 110}, white[] = {235, 128, 235, 128};
  const std::uint32_t bar = device.sequence * 8 % width;
  std::string bytes;
  bytes.reserve(2u * width * height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; x += 2) {
      const bool in_bar = y >= height * 3 / 4 && x >= bar && x < bar + width / 16;
      const unsigned char* pair = in_bar ? white : x < width / 2 ? red : blue;
      bytes.append(reinterpret_cast<const char*>(pair), 4);
    }
  return bytes;
}

std::string picture(const Device& device) {
  if (device.mode.format == V4L2_PIX_FMT_YUYV) return yuyv_picture(device);
  std::ifstream file(folder() + "/" + std::to_string(device.mode.width) + "x" + std::to_string(device.mode.height) +
                     ".jpg");
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// The n-th different value of `value` among the modes that `fits`; empty past the last.
template <class Value, class Fits>
auto nth(std::uint32_t n, Value value, Fits fits) {
  std::vector<decltype(value(modes[0]))> seen;
  for (const Mode& mode : modes)
    if (fits(mode) && std::ranges::find(seen, value(mode)) == seen.end()) seen.push_back(value(mode));
  return n < seen.size() ? std::vector{seen[n]} : std::vector<decltype(value(modes[0]))>{};
}

// As drivers do: what cannot be had becomes what is nearest.
Mode nearest(std::uint32_t format, std::uint32_t width, std::uint32_t height, double rate) {
  const auto distance = [&](const Mode& m) {
    return (m.format != format ? 1e9 : 0) + 10 * std::abs(double(m.width) - width) +
           10 * std::abs(double(m.height) - height) + std::abs(m.rate - rate);
  };
  return *std::ranges::min_element(modes, {}, distance);
}

void tell(const Mode& mode, v4l2_pix_format& picture) {
  const bool raw = mode.format == V4L2_PIX_FMT_YUYV;
  picture.width = mode.width;
  picture.height = mode.height;
  picture.pixelformat = mode.format;
  picture.field = V4L2_FIELD_NONE;
  picture.bytesperline = raw ? 2 * mode.width : 0;
  picture.sizeimage = 2 * mode.width * mode.height;
  picture.colorspace = V4L2_COLORSPACE_SRGB;
}

int take_picture(int file, Device& device, v4l2_buffer& buffer) {
  if (!device.streaming) return fail(EINVAL);
  if (words(device.number).contains("stalled") || device.queued.empty() || now() < device.due) return fail(EAGAIN);
  const std::string bytes = picture(device);
  buffer.index = device.queued.front();
  device.queued.erase(device.queued.begin());
  const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(buffer.index * buffer_bytes));
  if (written != static_cast<ssize_t>(bytes.size())) return fail(EIO);
  buffer.bytesused = static_cast<std::uint32_t>(bytes.size());
  buffer.flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  buffer.field = V4L2_FIELD_NONE;
  buffer.sequence = device.sequence++;
  const double time = now();
  buffer.timestamp.tv_sec = static_cast<time_t>(time);
  buffer.timestamp.tv_usec = static_cast<suseconds_t>((time - static_cast<double>(buffer.timestamp.tv_sec)) * 1e6);
  device.due = std::max(device.due + 1.0 / device.mode.rate, time - 1.0 / device.mode.rate);
  return 0;
}

int answer(int file, Device& device, unsigned long request, void* argument) {
  if (!plugged_in(device.number)) return fail(ENODEV);
  const std::set<std::string> state = words(device.number);
  const auto allowed = [&](const Mode& m) { return !state.contains("raw") || m.format == V4L2_PIX_FMT_YUYV; };
  switch (request) {
    case VIDIOC_QUERYCAP: {
      auto& capability = *static_cast<v4l2_capability*>(argument);
      capability = {};
      std::snprintf(reinterpret_cast<char*>(capability.driver), sizeof capability.driver, "fake");
      std::snprintf(reinterpret_cast<char*>(capability.card), sizeof capability.card, "Fake camera %d", device.number);
      capability.device_caps =
          V4L2_CAP_STREAMING | (state.contains("metadata") ? static_cast<unsigned>(V4L2_CAP_META_CAPTURE)
                                                           : static_cast<unsigned>(V4L2_CAP_VIDEO_CAPTURE));
      capability.capabilities = capability.device_caps | V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_DEVICE_CAPS;
      return 0;
    }
    case VIDIOC_ENUM_FMT: {
      auto& format = *static_cast<v4l2_fmtdesc*>(argument);
      const auto found = nth(
          format.index, [](const Mode& m) { return m.format; }, allowed);
      if (found.empty()) return fail(EINVAL);
      format.pixelformat = found[0];
      format.flags = found[0] == V4L2_PIX_FMT_MJPEG ? V4L2_FMT_FLAG_COMPRESSED : 0;
      return 0;
    }
    case VIDIOC_ENUM_FRAMESIZES: {
      auto& size = *static_cast<v4l2_frmsizeenum*>(argument);
      const auto found = nth(
          size.index, [](const Mode& m) { return std::pair(m.width, m.height); },
          [&](const Mode& m) { return allowed(m) && m.format == size.pixel_format; });
      if (found.empty()) return fail(EINVAL);
      size.type = V4L2_FRMSIZE_TYPE_DISCRETE;
      size.discrete = {found[0].first, found[0].second};
      return 0;
    }
    case VIDIOC_ENUM_FRAMEINTERVALS: {
      auto& interval = *static_cast<v4l2_frmivalenum*>(argument);
      const auto found = nth(
          interval.index, [](const Mode& m) { return m.rate; },
          [&](const Mode& m) {
            return m.format == interval.pixel_format && m.width == interval.width && m.height == interval.height;
          });
      if (found.empty()) return fail(EINVAL);
      interval.type = V4L2_FRMIVAL_TYPE_DISCRETE;
      interval.discrete = {1, found[0]};
      return 0;
    }
    case VIDIOC_G_INPUT:
      *static_cast<int*>(argument) = 0;
      return 0;
    case VIDIOC_ENUMINPUT: {
      auto& input = *static_cast<v4l2_input*>(argument);
      if (input.index > 0) return fail(EINVAL);
      input.type = V4L2_INPUT_TYPE_CAMERA;
      input.std = 0;
      return 0;
    }
    case VIDIOC_S_FMT:
      if (state.contains("busy")) return fail(EBUSY);
      [[fallthrough]];
    case VIDIOC_TRY_FMT:
    case VIDIOC_G_FMT: {
      auto& format = *static_cast<v4l2_format*>(argument);
      if (format.type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return fail(EINVAL);
      Mode mode = device.mode;
      if (request != VIDIOC_G_FMT) {
        const std::uint32_t wanted = state.contains("raw") ? V4L2_PIX_FMT_YUYV : format.fmt.pix.pixelformat;
        mode = nearest(wanted, format.fmt.pix.width, format.fmt.pix.height, 30);
      }
      if (request == VIDIOC_S_FMT) device.mode = mode;
      tell(mode, format.fmt.pix);
      return 0;
    }
    case VIDIOC_S_PARM:
    case VIDIOC_G_PARM: {
      auto& parameters = static_cast<v4l2_streamparm*>(argument)->parm.capture;
      if (request == VIDIOC_S_PARM && parameters.timeperframe.numerator > 0)
        device.mode = nearest(device.mode.format, device.mode.width, device.mode.height,
                              double(parameters.timeperframe.denominator) / parameters.timeperframe.numerator);
      parameters = {};
      parameters.capability = V4L2_CAP_TIMEPERFRAME;
      parameters.timeperframe = {1, device.mode.rate};
      return 0;
    }
    case VIDIOC_REQBUFS: {
      auto& wanted = *static_cast<v4l2_requestbuffers*>(argument);
      if (wanted.memory != V4L2_MEMORY_MMAP) return fail(EINVAL);
      wanted.count = std::min<std::uint32_t>(wanted.count, 8);
      device.buffers = wanted.count;
      return 0;
    }
    case VIDIOC_QUERYBUF: {
      auto& buffer = *static_cast<v4l2_buffer*>(argument);
      if (buffer.index >= device.buffers) return fail(EINVAL);
      buffer.length = buffer_bytes;
      buffer.m.offset = static_cast<std::uint32_t>(buffer.index * buffer_bytes);
      return 0;
    }
    case VIDIOC_QBUF: {
      const auto& buffer = *static_cast<v4l2_buffer*>(argument);
      if (buffer.index >= device.buffers) return fail(EINVAL);
      device.queued.push_back(buffer.index);
      return 0;
    }
    case VIDIOC_STREAMON:
      device.streaming = true;
      device.due = now();
      return 0;
    case VIDIOC_STREAMOFF:
      device.streaming = false;
      device.queued.clear();
      return 0;
    case VIDIOC_DQBUF:
      return take_picture(file, device, *static_cast<v4l2_buffer*>(argument));
    default:
      return fail(ENOTTY);
  }
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  return open_any(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  return open_any(AT_FDCWD, path, flags, mode);
}

int close(int file) {
  {
    const std::lock_guard lock(mutex);
    devices().erase(file);
  }
  return static_cast<int>(syscall(SYS_close, file));
}

int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  const std::lock_guard lock(mutex);
  const auto device = devices().find(file);
  // FFmpeg passes the request as an int, whose sign must not spread.
  if (device != devices().end()) return answer(file, device->second, request & 0xffffffffu, argument);
  return static_cast<int>(syscall(SYS_ioctl, file, request, argument));
}
}
