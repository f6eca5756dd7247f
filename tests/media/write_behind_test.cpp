// Writing beside the making: the order of the bytes, the end, and what becomes of a write that fails.
#include "app/media/write/write_behind.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

namespace convoscope {
namespace {

constexpr std::size_t bytes = 100'000;  // more than a pipe holds

bool never() { return false; }

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    for (const int end : ends) ::close(end);
  }
  std::array<int, 2> ends{};
};

TEST(WriteBehind, WritesBuffersInTheirOrder) {
  const Pipe pipe;
  std::string read;
  std::thread reader([&] {
    char some[5000];
    while (read.size() < 5 * bytes) {
      const ssize_t count = ::read(pipe.ends[0], some, sizeof some);
      if (count <= 0) return;
      read.append(some, static_cast<std::size_t>(count));
    }
  });
  std::optional<WriteBehind> behind;
  behind.emplace(pipe.ends[1], bytes, never);
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    std::memset(behind->buffer(), 'a' + i, bytes);
    expected.append(bytes, static_cast<char>('a' + i));
    EXPECT_EQ(behind->send(), 0);
  }
  behind.reset();  // without finish(): what was sent is written all the same
  reader.join();
  EXPECT_TRUE(read == expected);
}

TEST(WriteBehind, TellsOfAWriteThatFailsAndWritesNoMore) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  ::close(pipe.ends[0]);
  WriteBehind behind(pipe.ends[1], bytes, never);
  EXPECT_EQ(behind.send(), 0) << "it is not known yet";
  EXPECT_EQ(behind.send(), EPIPE);
  EXPECT_EQ(behind.finish(), EPIPE);
  pipe.ends[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(WriteBehind, TellsAtTheEndOfTheLastOne) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  {
    WriteBehind behind(full, bytes, never);
    EXPECT_EQ(behind.send(), 0);
    EXPECT_EQ(behind.finish(), ENOSPC);
  }
  ::close(full);
}

// A pipe, and a socket, which cannot be opened once more.
TEST(WriteBehind, WaitsForNoReaderOnceItIsStopped) {
  const Pipe pipe;
  std::array<int, 2> sockets{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  constexpr std::size_t more_than_either_holds = 4'000'000;
  for (const int end : {pipe.ends[1], sockets[1]}) {
    std::atomic<bool> stopped = false;
    WriteBehind behind(end, more_than_either_holds, [&] { return stopped.load(); });
    EXPECT_EQ(behind.send(), 0);
    stopped = true;
    EXPECT_EQ(behind.send(), ECANCELED);
    EXPECT_EQ(behind.finish(), ECANCELED);
  }
  for (const int end : sockets) ::close(end);
}

}  // namespace
}  // namespace convoscope
