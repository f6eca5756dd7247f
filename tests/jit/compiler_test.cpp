// NVRTC needs no GPU, so compiling and remembering are tested wherever it is installed.
#include "kernels/jit/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "kernels/filter/filter_catalogue.h"
#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/specialised_source.h"
#include "kernels/text/error.h"
#include "kernels/threads/background.h"
#include "tests/kernels/cache_home.h"

namespace convoscope {
namespace {

constexpr char source[] = "extern \"C\" __global__ void filter_specialised(int* out) { *out = 42; }";

std::shared_ptr<jit::Job> ask(const std::string& text) {
  auto job = std::make_shared<jit::Job>();
  job->source = [text] { return text; };
  job->compute_capability = 80;
  job->load = [](const std::string& cubin) { return std::make_shared<std::string>(cubin); };
  jit::request(job);
  return job;
}
void wait(const jit::Job& job) {
  for (int i = 0; i < 3000 && job.state == jit::Job::State::waiting; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

class JitCompiler : public testing::Test {
 protected:
  void SetUp() override {
    jit::open_library();
    if (const std::string why = jit::why_unavailable(); !why.empty()) GTEST_SKIP() << why;
  }
  CacheHome home_;
  Background background_;
};

TEST_F(JitCompiler, CompilesOnceAndRemembers) {
  const auto first = ask(source);
  wait(*first);
  ASSERT_EQ(first->state, jit::Job::State::ready) << first->error;
  EXPECT_FALSE(first->from_cache);
  EXPECT_EQ(static_cast<std::string*>(first->result.get())->substr(0, 4),
            "\x7f"
            "ELF");
  const auto second = ask(source);
  wait(*second);
  ASSERT_EQ(second->state, jit::Job::State::ready) << second->error;
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(*static_cast<std::string*>(second->result.get()), *static_cast<std::string*>(first->result.get()));
}

TEST_F(JitCompiler, ABrokenSourceFailsWithTheCompilersOwnWords) {
  const auto job = ask("extern \"C\" __global__ void filter_specialised() { undeclared = 1; }");
  wait(*job);
  ASSERT_EQ(job->state, jit::Job::State::failed);
  EXPECT_THAT(job->error, testing::HasSubstr("undeclared"));
}

TEST_F(JitCompiler, CancelsInTheMiddle) {
  int asked = 0;
  const std::string large = specialised_source(parse_filter("disk:radius=8").filter, PixelFormat::rgba8, 0, 1).source;
  try {
    jit::compile(large, 90, [&] { return ++asked > 3; });
    EXPECT_EQ(asked, 0) << "an NVRTC before CUDA 12.8 does not ask, and goes on to the end";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cancelled"));
  }
}

TEST_F(JitCompiler, TakesWhatIsWrittenForEveryFormat) {
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f})
    for (const int capability : {75, 90})
      EXPECT_FALSE(
          jit::compile(specialised_source(parse_filter("gaussian:radius=2").filter, format, 0, 0).source, capability)
              .empty());
}

TEST(CubinCache, GivesBackOnlyWhatBelongsToTheKey) {
  const CacheHome home;
  EXPECT_FALSE(jit::load_cubin("a"));
  jit::save_cubin("a", "machine code");
  EXPECT_EQ(jit::load_cubin("a"), "machine code");
  EXPECT_FALSE(jit::load_cubin("b"));
}

TEST(CubinCache, ABrokenFileIsNotTaken) {
  const CacheHome home;
  jit::save_cubin("a", "machine code");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home.folder()))
    if (entry.path().extension() == ".cubin") std::ofstream(entry.path()) << "convos";
  EXPECT_FALSE(jit::load_cubin("a"));
}

}  // namespace
}  // namespace convoscope
