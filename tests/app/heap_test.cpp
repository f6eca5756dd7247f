// What is freed goes back to the system, on machines of any number of cores.
#include "app/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
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

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
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

// As it lies after a while: freed blocks, each before one that is in use.
TEST(Heap, WhatLiesFreeBetweenBlocksGoesBack) {
  bound_heaps();
  constexpr std::size_t bytes = 200'000;
  std::vector<Block> kept, freed;
  for (int i = 0; i < 2000; ++i) (i % 4 ? freed : kept).push_back(block_of(bytes));
  for (const Block& block : freed) std::memset(block.get(), 1, bytes);
  const std::size_t before = resident_bytes();
  freed.clear();
  EXPECT_GT(resident_bytes(), before - HeapTrimmer::least_worth_it) << "glibc does it by itself: no trimmer is needed";
  const HeapTrimmer trimmer(std::chrono::milliseconds(5));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (resident_bytes() > before - 250'000'000 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LE(resident_bytes(), before - 250'000'000);
}
#endif

}  // namespace
}  // namespace convoscope
