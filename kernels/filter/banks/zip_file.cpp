#include "kernels/filter/banks/zip_file.h"

#include <zlib.h>

#include <algorithm>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

constexpr std::size_t end_bytes = 22, longest_comment = 0xffff, member_bytes = 46, local_bytes = 30;
constexpr std::string_view end_mark = "PK\5\6", member_mark = "PK\1\2", local_mark = "PK\3\4";
constexpr unsigned is_encrypted = 1, method_stored = 0, method_deflated = 8;
constexpr std::size_t in_zip64 = 0xffffffff;       // what stands where the number has no room
constexpr std::size_t unpacked_at_once = 1 << 20;  // bytes between two looks for the end

[[noreturn]] void throw_damaged() { throw Error("it is no whole zip file, which an .npz file is"); }

std::size_t zip_number(std::string_view file, std::size_t at, int bytes) {
  if (at > file.size() || file.size() - at < static_cast<std::size_t>(bytes)) throw_damaged();
  std::size_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file[at + static_cast<std::size_t>(i)]);
  return value;
}

std::size_t directory_end(std::string_view file) {
  if (file.size() < end_bytes) throw_damaged();
  const std::size_t last = file.size() - end_bytes, first = last - std::min(last, longest_comment);
  const std::size_t at = file.rfind(end_mark, last);
  if (at == std::string_view::npos || at < first) throw_damaged();
  return at;
}

// Of one in the directory; what is packed lies behind a header of its own, whose length only that header says.
ZipMember member_at(std::string_view file, std::size_t at) {
  if (file.substr(std::min(at, file.size()), 4) != member_mark) throw_damaged();
  const std::size_t flags = zip_number(file, at + 8, 2), method = zip_number(file, at + 10, 2);
  const std::size_t packed = zip_number(file, at + 20, 4), header = zip_number(file, at + 42, 4);
  const std::size_t name_bytes = zip_number(file, at + 28, 2);
  if (at + member_bytes + name_bytes > file.size()) throw_damaged();
  ZipMember member{.name = std::string(file.substr(at + member_bytes, name_bytes))};
  member.bytes = zip_number(file, at + 24, 4);
  member.deflated = method == method_deflated;
  member.checksum = static_cast<std::uint32_t>(zip_number(file, at + 16, 4));
  const auto whose = [&] { return "its part " + in_quotes(member.name); };
  if ((flags & is_encrypted) != 0) throw Error(whose() + " is encrypted");
  if (method != method_stored && method != method_deflated)
    throw Error(whose() + " is packed by method " + std::to_string(method) + "; stored and deflated ones are read");
  if (packed == in_zip64 || member.bytes == in_zip64 || header == in_zip64)
    throw Error(whose() + " has more than 4 GiB");
  if (file.substr(std::min(header, file.size()), 4) != local_mark) throw_damaged();
  const std::size_t begin = header + local_bytes + zip_number(file, header + 26, 2) + zip_number(file, header + 28, 2);
  if (begin > file.size() || file.size() - begin < packed) throw_damaged();
  member.packed = file.substr(begin, packed);
  return member;
}

void inflate_member(const ZipMember& member, std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Error("there is no memory to unpack it");
  struct End {
    z_stream& stream;
    ~End() { inflateEnd(&stream); }
  } const end{stream};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member.packed.data()));
  stream.avail_in = static_cast<uInt>(member.packed.size());
  int status = Z_OK;
  while (status == Z_OK) {
    end_reading_if_asked();
    const std::size_t done = out.size(), room = std::min(unpacked_at_once, member.bytes - done);
    out.resize(done + room);
    char none = 0;  // with no room left there must be an end, and nothing before it
    stream.next_out = reinterpret_cast<Bytef*>(room > 0 ? out.data() + done : &none);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(done + room - stream.avail_out);
  }
  if (status != Z_STREAM_END) throw_damaged();
}

}  // namespace

std::vector<ZipMember> zip_members(std::string_view file, std::size_t most_bytes) {
  const std::size_t end = directory_end(file), count = zip_number(file, end + 10, 2);
  std::size_t at = zip_number(file, end + 16, 4), bytes = 0;
  std::vector<ZipMember> members;
  for (std::size_t i = 0; i < count; ++i) {
    members.push_back(member_at(file, at));
    bytes += members.back().bytes;
    if (bytes > most_bytes)
      throw Error("its parts have more than " + format_count(static_cast<long long>(most_bytes)) +
                  " bytes together when they are unpacked");
    at += member_bytes + zip_number(file, at + 28, 2) + zip_number(file, at + 30, 2) + zip_number(file, at + 32, 2);
  }
  std::vector<std::string_view> parts;
  for (const ZipMember& member : members)
    if (!member.packed.empty()) parts.push_back(member.packed);
  std::ranges::sort(parts, {}, &std::string_view::data);
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].data() < parts[i - 1].data() + parts[i - 1].size()) throw Error("two of its parts share bytes");
  return members;
}

std::string unpack(const ZipMember& member) {
  std::string bytes;
  if (member.deflated) {
    inflate_member(member, bytes);
  } else {
    bytes = member.packed;
  }
  if (bytes.size() != member.bytes ||
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != member.checksum)
    throw Error("its part " + in_quotes(member.name) + " is damaged: its checksum is another one");
  return bytes;
}

}  // namespace convoscope
