#pragma once
// The bytes of a file one after another, for formats that are read here. Whoever reads past the end throws EndOfBytes.
#include <cstdint>
#include <span>
#include <string_view>

namespace convoscope {

struct EndOfBytes {};

class StillBytes {
 public:
  explicit StillBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::uint8_t byte() { return take_bytes(1)[0]; }
  std::uint64_t big(std::size_t count) {  // a number of so many bytes, the highest first
    std::uint64_t value = 0;
    for (const std::uint8_t each : take_bytes(count)) value = value << 8 | each;
    return value;
  }
  std::span<const std::uint8_t> take_bytes(std::uint64_t count) {
    if (count > left()) throw EndOfBytes();
    at_ += static_cast<std::size_t>(count);
    return bytes_.subspan(at_ - static_cast<std::size_t>(count), static_cast<std::size_t>(count));
  }
  void skip(std::uint64_t count) { take_bytes(count); }
  // Up to the next end of a line, which is taken too.
  std::string_view line() {
    const std::size_t begin = at_;
    while (byte() != '\n') {
    }
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, at_ - 1 - begin};
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace convoscope
