#include "app/cli/commands/report.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "app/cli/commands/frame_progress.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What is written to stderr where that is a terminal of so many columns.
template <class Write>
std::string on_terminal(unsigned short columns, const Write& write) {
  const int screen = posix_openpt(O_RDWR | O_NOCTTY);
  if (screen < 0 || grantpt(screen) != 0 || unlockpt(screen) != 0) return {};
  const int terminal = open(ptsname(screen), O_RDWR | O_NOCTTY), before = dup(STDERR_FILENO);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  ioctl(terminal, TIOCSWINSZ, &size);
  dup2(terminal, STDERR_FILENO);
  write();
  dup2(before, STDERR_FILENO);
  close(before);
  close(terminal);  // so that reading comes to an end
  std::string seen;
  char bytes[100];
  for (ssize_t count; (count = read(screen, bytes, sizeof bytes)) > 0;)
    seen.append(bytes, static_cast<std::size_t>(count));
  close(screen);
  return seen;
}

TEST(ProgressLine, IsOneLineHoweverNarrowTheTerminalIs) {
  const std::string shown = on_terminal(20, [] {
    ProgressLine line;
    line.show("one two three four five six");
    line.show("one");
  });
  EXPECT_EQ(shown, "\r\033[Kone two three …\r\033[Kone …\r\033[K");
}

TEST(FrameProgress, PromisesNoEndOnceMoreFramesCameThanWereExpected) {
  const auto shown = [](std::int64_t frames) {
    return on_terminal(200, [frames] {
      FrameProgress progress;
      std::this_thread::sleep_for(std::chrono::milliseconds(120));  // until then it would only flicker
      progress.show(frames, 10);
    });
  };
  EXPECT_THAT(shown(10), AllOf(HasSubstr("100 %, frame 10 of about 10"), HasSubstr("0:00 left")));
  EXPECT_THAT(shown(409), AllOf(HasSubstr("frame 409, "), HasSubstr(" a second"), Not(HasSubstr("%"))));
  EXPECT_THAT(shown(409), AllOf(Not(HasSubstr("about")), Not(HasSubstr("left"))));
}

}  // namespace
}  // namespace convoscope
