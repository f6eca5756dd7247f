#pragma once
// Files of arrays as NumPy, its savez and safetensors write them, made byte by byte.
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace convoscope::test {

inline std::string little_endian_bytes(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 255);
  return bytes;
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers, bool big_endian = false) {
  std::string all;
  for (const Number number : numbers) {
    std::string one(reinterpret_cast<const char*>(&number), sizeof number);  // little-endian, as we are
    all += big_endian ? std::string(one.rbegin(), one.rend()) : one;
  }
  return all;
}

// `version` 1 has two bytes for the header's length, 2 has four.
inline std::string npy_file(const std::string& header, const std::string& numbers, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0'};
  return bytes + little_endian_bytes(header.size(), version == 1 ? 2 : 4) + header + numbers;
}
inline std::string npy_header(const std::string& shape, const std::string& type = "<f4",
                              const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }     \n";
}

inline std::string safetensors_file(const std::string& header, const std::string& data) {
  return little_endian_bytes(header.size(), 8) + header + data;
}

struct Zipped {
  std::string name, bytes;
  bool deflated = false;
};
inline std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}
// With an extra field in front of each part, as Python's zipfile puts one there for NumPy.
inline std::string zip_file(const std::vector<Zipped>& parts) {
  const auto number = little_endian_bytes;
  std::string file, directory;
  for (const Zipped& part : parts) {
    const std::string packed = part.deflated ? deflated(part.bytes) : part.bytes, extra(20, '\0');
    const std::uint64_t sum =
        ::crc32(0, reinterpret_cast<const Bytef*>(part.bytes.data()), static_cast<uInt>(part.bytes.size()));
    const std::string common = number(0, 2) + number(part.deflated ? 8 : 0, 2) + number(0, 4) + number(sum, 4) +
                               number(packed.size(), 4) + number(part.bytes.size(), 4) + number(part.name.size(), 2);
    directory += "PK\1\2" + number(45, 2) + number(45, 2) + common + number(0, 2) + number(0, 2) + number(0, 2) +
                 number(0, 2) + number(0, 4) + number(file.size(), 4) + part.name;
    file += "PK\3\4" + number(45, 2) + common + number(extra.size(), 2) + part.name + extra + packed;
  }
  return file + directory + "PK\5\6" + number(0, 4) + number(parts.size(), 2) + number(parts.size(), 2) +
         number(directory.size(), 4) + number(file.size(), 4) + number(0, 2);
}

}  // namespace convoscope::test
