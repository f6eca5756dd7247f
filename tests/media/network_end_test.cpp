// Sources that come over a network and end before they should, or cannot be read at all: each is told for what it is.
// The servers are on loopback, of this process, and end with their test.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "app/media/write/whole_file.h"
#include "tests/error_of.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int sent_frames = 50;
// Where a picture of a transport stream ends is known when the next one begins, which never comes.
constexpr int shown_frames = sent_frames - 1;

std::string served_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One connection after the other, until it goes.
class LoopbackServer {
 public:
  explicit LoopbackServer(std::function<void(int connection)> serve) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 8);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, serve = std::move(serve)](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const int connection = ::accept(listener_, nullptr, nullptr);
        if (connection < 0) return;
        serve(connection);
        ::close(connection);
      }
    });
  }
  ~LoopbackServer() {
    thread_.request_stop();
    ::shutdown(listener_, SHUT_RDWR);  // accept() returns
    thread_.join();
    ::close(listener_);
  }
  std::string at(const std::string& scheme, const std::string& name) const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + "/" + name;
  }

 private:
  int listener_, port_ = 0;
  std::jthread thread_;
};

void send_text(int connection, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

// The head of the next request; empty when there is none.
std::string next_request(int connection) {
  std::string head;
  for (char byte; !head.ends_with("\r\n\r\n") && ::recv(connection, &byte, 1, 0) == 1;) head += byte;
  return head;
}

// A transport stream by RTP within RTSP's own connection, which ends after `packets` of seven of its packets. `range`:
// how long it says that it is.
void serve_rtsp(int connection, const std::string& stream, const std::string& range, std::size_t packets) {
  for (std::string head; !(head = next_request(connection)).empty();) {
    const std::size_t at = head.find("CSeq:");
    std::string answer = "RTSP/1.0 200 OK\r\n" + head.substr(at, head.find('\n', at) - at + 1) + "Session: 1\r\n";
    if (head.starts_with("DESCRIBE")) {
      const std::string description = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n" +
                                      range + "m=video 0 RTP/AVP 33\r\na=control:one\r\n";
      answer += "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(description.size()) + "\r\n\r\n" +
                description;
    } else if (head.starts_with("SETUP")) {
      answer += "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n";
    } else {
      answer += "Public: DESCRIBE, SETUP, PLAY\r\n\r\n";
    }
    send_text(connection, answer);
    if (!head.starts_with("PLAY")) continue;
    constexpr std::size_t bytes = 7 * 188;
    for (std::size_t i = 0; i < packets && i * bytes < stream.size(); ++i) {
      const std::string part = stream.substr(i * bytes, bytes);
      const auto two = [](std::size_t value) {
        return std::string{static_cast<char>(value >> 8), static_cast<char>(value)};
      };
      const std::string packet = "\x80\x21" + two(i) + two(0) + two(i * 900) + std::string(3, '\0') + "\7" + part;
      send_text(connection, std::string("$\0", 2) + two(packet.size()) + packet);
    }
    return;
  }
}

// A web server that knows no ranges.
void serve_whole(int connection, const std::string& content) {
  if (next_request(connection).empty()) return;
  send_text(connection, "HTTP/1.0 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: " +
                            std::to_string(content.size()) + "\r\n\r\n" + content);
}

struct NetworkOutcome {
  int pictures = 0;
  bool cut_short = false;
  std::string told;
};

NetworkOutcome filtered_from(const std::string& input) {
  WholeFileSettings settings;
  settings.input = input;
  settings.output = "none.mkv";
  Interrupt interrupt;
  const auto whole = WholeFile::open(settings, interrupt);
  NetworkOutcome outcome;
  VideoFrame frame;
  for (PictureMoment moment; whole->read(frame, moment);) ++outcome.pictures;
  while (const auto warning = whole->take_warning()) outcome.told += *warning;
  outcome.cut_short = whole->cut_short();
  return outcome;
}

NetworkOutcome played_from(const std::string& input) {
  const auto player = Player::open({.input = input}, {}, Pace::every, Retry::never);
  NetworkOutcome outcome;
  outcome.pictures = static_cast<int>(play(*player).size());
  outcome.cut_short = player->stats().cut_short;
  while (const auto error = player->take_error()) outcome.told += *error;
  return outcome;
}

TEST(NetworkEnd, OfAStreamBeforeItsTimeIsTold) {
  const std::string stream = served_bytes(coded_clip("sent.ts", sent_frames, "-c:v mpeg2video -g 5 -q:v 3"));
  const std::size_t all = stream.size() / (7 * 188) + 1;
  const std::string range = "a=range:npt=0-2\r\n";
  {
    const LoopbackServer server([&](int connection) { serve_rtsp(connection, stream, range, all); });
    const NetworkOutcome whole = filtered_from(server.at("rtsp", "x"));
    EXPECT_EQ(whole.pictures, shown_frames);
    EXPECT_FALSE(whole.cut_short) << whole.told;
    EXPECT_FALSE(played_from(server.at("rtsp", "x")).cut_short);
  }
  const LoopbackServer server([&](int connection) { serve_rtsp(connection, stream, range, all / 2); });
  for (const NetworkOutcome& cut : {filtered_from(server.at("rtsp", "x")), played_from(server.at("rtsp", "x"))}) {
    EXPECT_GT(cut.pictures, 10);
    EXPECT_LT(cut.pictures, 40);
    EXPECT_TRUE(cut.cut_short);
    EXPECT_THAT(cut.told, AllOf(HasSubstr("was cut off after "), HasSubstr(" s of its 2.0 s")));
  }
}

// One that says no length may end at any time, and that is told, too; what had come before is shown.
TEST(NetworkEnd, OfALiveStreamIsTold) {
  const std::string stream = served_bytes(coded_clip("sent.ts", sent_frames, "-c:v mpeg2video -g 5 -q:v 3"));
  const LoopbackServer server(
      [&](int connection) { serve_rtsp(connection, stream, "", stream.size() / (7 * 188) + 1); });
  const NetworkOutcome ended = played_from(server.at("rtsp", "x"));
  EXPECT_EQ(ended.pictures, shown_frames);
  EXPECT_TRUE(ended.cut_short);
  EXPECT_THAT(ended.told, HasSubstr("has ended or was cut off"));
}

TEST(NetworkEnd, OfAFileIsTold) {
  const std::string file =
      served_bytes(coded_clip("sent-front.mp4", sent_frames, "-c:v mpeg4 -q:v 3 -movflags +faststart"));
  const LoopbackServer server([&](int connection) {
    if (next_request(connection).empty()) return;
    send_text(connection, "HTTP/1.0 200 OK\r\nContent-Length: " + std::to_string(file.size()) + "\r\n\r\n" +
                              file.substr(0, file.size() / 2));
  });
  const NetworkOutcome cut = filtered_from(server.at("http", "a.mp4"));
  EXPECT_GT(cut.pictures, 10);
  EXPECT_TRUE(cut.cut_short);
  EXPECT_THAT(cut.told, AllOf(HasSubstr("a.mp4' "), HasSubstr("frames that have come are filtered")));
}

TEST(NetworkAddress, OfAnMp4WithItsIndexAtTheEndIsRefusedForThat) {
  const std::string options = "-c:v mpeg4 -q:v 3";
  const std::string behind = served_bytes(coded_clip("sent-behind.mp4", sent_frames, options)),
                    in_front =
                        served_bytes(coded_clip("sent-front.mp4", sent_frames, options + " -movflags +faststart"));
  {
    const LoopbackServer server([&](int connection) { serve_whole(connection, behind); });
    EXPECT_THAT(error_of([&] { filtered_from(server.at("http", "a.mp4")); }),
                AllOf(HasSubstr("has its index at the end"), HasSubstr("faststart"), Not(HasSubstr("connection"))));
    EXPECT_THAT(played_from(server.at("http", "a.mp4")).told, HasSubstr("has its index at the end"));
  }
  const LoopbackServer server([&](int connection) { serve_whole(connection, in_front); });
  EXPECT_EQ(filtered_from(server.at("http", "a.mp4")).pictures, sent_frames);
}

TEST(NetworkAddress, ThatAFileDescribesNeedsTrust) {
  const std::string path = fresh_folder("described") + "/a.sdp";
  std::ofstream(path) << "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"
                      << "a=rtpmap:96 H264/90000\n";
  for (const std::string& told : {played_from(path).told, error_of([&] { filtered_from(path); })})
    EXPECT_THAT(told,
                AllOf(HasSubstr("over the network (SDP)"), HasSubstr("--trust-playlists"), Not(HasSubstr("damaged"))));
}

TEST(NetworkAddress, OfRtpThatDoesNotSayWhatItHoldsIsRefusedForThat) {
  const int sender = ::socket(AF_INET, SOCK_DGRAM, 0), finder = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(finder, reinterpret_cast<sockaddr*>(&address), size);  // a port that is free
  ::getsockname(finder, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(finder);
  const std::jthread sends([&](const std::stop_token& stop) {
    const std::string packet = std::string("\x80\x60\0\1\0\0\0\1\0\0\0\7", 12) + "anything";
    while (!stop.stop_requested()) {
      ::sendto(sender, packet.data(), packet.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address), size);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const std::string input = "rtp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  EXPECT_THAT(played_from(input).told, AllOf(HasSubstr("sends RTP whose packets do not say what they hold"),
                                             HasSubstr(".sdp"), Not(HasSubstr("damaged"))));
  ::close(sender);
}

TEST(GrowingSequence, IsTold) {
  const std::string folder = fresh_folder("growing");
  constexpr int count = 40;  // more than are decoded ahead, so that none has reached the end when another one comes
  ASSERT_EQ(run("ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48 -frames:v 40 " + folder + "/%02d.png"), 0);
  for (const std::string& input : {folder, folder + "/%02d.png", folder + "/*.png"}) {
    WholeFileSettings settings;
    settings.input = input;
    settings.output = "none.mkv";
    Interrupt interrupt;
    const auto whole = WholeFile::open(settings, interrupt);
    const auto player = open(input);
    EXPECT_TRUE(player->next_frame(once()));
    std::filesystem::copy_file(folder + "/40.png", folder + "/41.png");
    int pictures = 0;
    VideoFrame frame;
    for (PictureMoment moment; whole->read(frame, moment);) ++pictures;
    EXPECT_EQ(pictures, count);
    EXPECT_THAT(whole->take_warning().value_or(""), HasSubstr("1 picture has come to '" + input + "' since"));
    EXPECT_FALSE(whole->cut_short());
    play(*player);
    EXPECT_THAT(player->take_error().value_or(""), HasSubstr("1 picture has come to '" + input + "' since"));
    std::filesystem::remove(folder + "/41.png");
  }
}

}  // namespace
}  // namespace convoscope::test
