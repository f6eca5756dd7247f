#pragma once
// Zip files as NumPy's savez and savez_compressed write them: stored or deflated, below 4 GiB. Source: PKWARE's
// APPNOTE.TXT, 4.3.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

struct ZipMember {
  std::string name;
  std::string_view packed;  // a part of the file's bytes
  std::size_t bytes = 0;    // when it is unpacked, as the file says
  bool deflated = false;
  std::uint32_t checksum = 0;
};

// All members, as the directory at the file's end names them. No two share bytes of the file, and unpacked they have
// `most_bytes` together at most. Throws Error saying what is wrong, in words to follow the name of the file.
std::vector<ZipMember> zip_members(std::string_view file, std::size_t most_bytes);

// Never makes more than member.bytes. Throws Error likewise, and where the work is no longer wanted.
std::string unpack(const ZipMember&);

}  // namespace convoscope
