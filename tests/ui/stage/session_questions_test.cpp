// What a session names elsewhere waits for an answer.
#include <gtest/gtest.h>

#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(Messages, WhatASessionNamesElsewhereIsOpenedByAClickAlone) {
  Harness ui;
  ui.stats.messages = {{MessageLevel::warning, "It names the address 'rtsp://host/a'.", ui.stats.now, "session source"},
                       {MessageLevel::warning, "It names the network '/far/net'.", ui.stats.now, "session network"}};
  ui.stats.messages[0].buttons = {{Offer::open_source, "rtsp://host/a"}};
  ui.stats.messages[1].buttons = {{Offer::read_weights, "/far/net"}};
  ui.frame(3);
  ui.stats.now += 40;
  EXPECT_TRUE(drawn(ui, "message/session source")) << "there is a question in it";
  EXPECT_FALSE(ui.requests.open || ui.requests.load_bank);
  ui.click("message/session source/Open it");
  EXPECT_EQ(ui.requests.open, "rtsp://host/a");
  EXPECT_FALSE(ui.requests.load_bank);
  EXPECT_FALSE(drawn(ui, "message/session source"));
  ui.click("message/session network/Read it");
  EXPECT_EQ(ui.requests.load_bank, "/far/net");
}

}  // namespace
}  // namespace convoscope::test
