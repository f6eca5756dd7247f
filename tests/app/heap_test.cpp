// What is freed goes back to the system, on machines of any number of cores.
#include "app/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace convoscope {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
TEST(Heap, IsTheSanitizers) { GTEST_SKIP() << "there is no malloc of glibc here"; }
#else
using Block = std::unique_ptr<void, decltype(&std::free)>;

Block block_of(std::size_t bytes) {
  Block block(std::malloc(bytes), &std::free);
  *static_cast<volatile char*>(block.get()) = 1;
  return block;
}

int heap_count() {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const file = open_memstream(&text, &size);
  malloc_info(0, file);
  std::fclose(file);
  const Block owner(text, &std::free);
  const std::string all(text, size);
  int count = 0;
  for (std::size_t at = 0; (at = all.find("<heap nr=", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Heap, ALargeBlockIsOfNoHeapAlsoAfterALargerOneWasFreed) {
  bound_heaps();
  block_of(16 << 20).reset();
  const std::size_t before = mallinfo2().hblks;
  const Block block = block_of(8 << 20);
  EXPECT_EQ(mallinfo2().hblks, before + 1) << "what is mapped by itself goes back as soon as it is freed";
}

TEST(Heap, ManyThreadsShareAFew) {
  bound_heaps();
  const int before = heap_count();
  constexpr int threads = 3 * most_heaps;
  std::latch all_have_one(threads);
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&] {
      const Block block = block_of(1000);
      all_have_one.arrive_and_wait();
    });
  all_have_one.wait();
  EXPECT_LE(heap_count(), std::max(before, most_heaps));
}
#endif

}  // namespace
}  // namespace convoscope
