#pragma once
// No output of a command line is one of its inputs or another of its outputs.
#include <filesystem>
#include <string>
#include <vector>

namespace convoscope {

class OutputNames {
 public:
  void reads(const std::string& input);  // an INPUT in any of its forms; "-": what standard input has been made
  // What an option reads, where the text names a file.
  void reads_file(const std::string& what, const std::string& text);
  // The same where it may name a folder, which is read with all that is in it.
  void reads_file_or_folder(const std::string& what, const std::string& text);
  void writes(const std::string& what, const std::filesystem::path&);  // "--record", "OUTPUT"; "-" likewise
  void check() const;                                                  // throws Error naming what would be destroyed

 private:
  struct Named {
    std::string what;
    std::filesystem::path path;
  };
  std::vector<std::string> inputs_;
  std::vector<Named> read_, written_;
};

}  // namespace convoscope
