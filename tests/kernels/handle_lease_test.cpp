#include "kernels/libraries/handle_lease.h"

#include <gtest/gtest.h>

#include <deque>

#include "kernels/text/error.h"

namespace convoscope {
namespace {

struct FakeContext {
  void* stream = nullptr;
};
using FakeHandle = FakeContext*;
std::deque<FakeContext> contexts;  // stay where they are, as a library's do
FakeHandle make_fake() { return &contexts.emplace_back(); }
int some_streams[3] = {};
void use_fake(FakeHandle handle, void* stream) {
  if (stream == &some_streams[2]) throw Error("this stream is broken");
  handle->stream = stream;
}
using Lease = HandleLease<FakeHandle, make_fake, use_fake>;

TEST(HandleLease, NeverKeepsTheStreamOfThePlanBefore) {
  FakeHandle first = nullptr;
  {
    const Lease lease(0, &some_streams[0]);
    first = lease;
    EXPECT_EQ(first->stream, &some_streams[0]);
  }
  const std::size_t before = contexts.size();
  const Lease lease(0, nullptr);
  EXPECT_EQ(static_cast<FakeHandle>(lease), first) << "made once";
  EXPECT_EQ(contexts.size(), before);
  EXPECT_EQ(first->stream, nullptr);
}

TEST(HandleLease, IsOfOneAtATimeAndOfOneDevice) {
  const Lease one(1, &some_streams[0]), other(1, &some_streams[1]), elsewhere(2, nullptr);
  EXPECT_NE(static_cast<FakeHandle>(one), static_cast<FakeHandle>(other));
  EXPECT_NE(static_cast<FakeHandle>(elsewhere), static_cast<FakeHandle>(one));
  EXPECT_EQ(static_cast<FakeHandle>(one)->stream, &some_streams[0]);
  EXPECT_EQ(static_cast<FakeHandle>(other)->stream, &some_streams[1]);
}

TEST(HandleLease, DoesNotLendAgainWhatTookNoStream) {
  FakeHandle good = nullptr;
  {
    const Lease lease(3, nullptr);
    good = lease;
  }
  EXPECT_THROW(Lease(3, &some_streams[2]), Error);
  const Lease lease(3, nullptr);
  EXPECT_NE(static_cast<FakeHandle>(lease), good);
}

}  // namespace
}  // namespace convoscope
