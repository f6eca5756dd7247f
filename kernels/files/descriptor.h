#pragma once
// An open file by its number, for those who have to say how it may be opened: links, pipes, other users' files.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convoscope {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }

  int get() const { return number_; }  // below 0: none
  int release() { return std::exchange(number_, -1); }
  bool close();  // whether all that was written is with the system; errno says why not

 private:
  int number_;
};

// All of an ordinary file. Empty when it is none, is larger, or cannot be read: `why` says so, as part of a sentence.
// Opened with O_NONBLOCK a pipe is told, not waited for.
std::optional<std::string> read_whole(const Descriptor&, std::size_t most_bytes, std::string& why);

// errno says why not.
bool write_all(const Descriptor&, std::string_view);
bool write_all(int file, std::string_view);  // of whomever the file is
// The same where whoever reads it (of a pipe, at a terminal) may take nothing for ever: once `stopped` he is waited for
// no longer than a second, and errno is ECANCELED.
bool write_all_until(int file, std::string_view, const std::function<bool()>& stopped);

}  // namespace convoscope
