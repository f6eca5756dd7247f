#pragma once
// A program that is killed in the middle of a file: it has no time to remove anything.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iterator>

#include "kernels/files/part_mark.h"
#include "tests/cli/folder.h"

namespace convoscope {

inline constexpr rlim_t most_of_killed = 4096;  // bytes that it writes

// Calls `write` in a process of its own, which the system kills at the first byte after that many.
template <class Write>
void killed_while(const Write& write) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit few{most_of_killed, most_of_killed}, no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setrlimit(RLIMIT_FSIZE, &few);
    std::signal(SIGXFSZ, SIG_DFL);
    write();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
}

inline std::ptrdiff_t files_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

// By which a part of ours is known again.
inline bool keeps_attributes(const Folder& folder) {
  const std::string path = folder.write("marked", "");
  {
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    begin_part(file);
  }
  return remove_left_part(path) || !std::filesystem::remove(path);
}

}  // namespace convoscope
