// What a device reaches, and the file that remembers it.
#include "kernels/measure/device_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernels/measure/cache_file.h"
#include "tests/cli/folder.h"
#include "tests/kernels/cache_home.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class CacheFile : public testing::Test {
 protected:
  std::string path() const { return cache_.folder() + "/convoscope/things.json"; }
  json load(const std::string& key) { return load_cache_entry("things.json", key, &problem_); }
  bool save(const std::string& key, const json& value) {
    return save_cache_entry("things.json", key, value, &problem_);
  }

  CacheHome cache_;
  std::string problem_;
};

TEST_F(CacheFile, KeepsEntriesNextToEachOther) {
  EXPECT_TRUE(load("a").is_null());
  EXPECT_TRUE(save("a", 1));
  EXPECT_TRUE(save("b", {{"x", 2}}));
  EXPECT_TRUE(save("a", 3));
  EXPECT_EQ(load("a"), 3);
  EXPECT_EQ(load("b")["x"], 2);
  EXPECT_TRUE(load("c").is_null());
  EXPECT_THAT(problem_, IsEmpty());
}

TEST_F(CacheFile, ABrokenFileIsASentenceAndIsReplaced) {
  for (const char* content : {"", "{", "[]", "7", "{\"version\": 1}", "{\"version\": 1, \"entries\": []}",
                              "{\"version\": 99, \"entries\": {\"a\": 1}}", "\xff\xfe"}) {
    SCOPED_TRACE(content);
    save("a", 1);
    std::ofstream(path(), std::ios::binary) << content;
    problem_.clear();
    EXPECT_TRUE(load("a").is_null());
    EXPECT_THAT(problem_, HasSubstr("things.json"));
    EXPECT_THAT(problem_, HasSubstr("measured again"));
    problem_.clear();
    EXPECT_TRUE(save("a", 2));
    EXPECT_EQ(load("a"), 2);
    EXPECT_THAT(problem_, IsEmpty());
  }
}

TEST_F(CacheFile, AFolderThatCannotBeMadeIsASentence) {
  const Folder other;
  setenv("XDG_CACHE_HOME", other.write("file", "not a folder").c_str(), 1);
  EXPECT_FALSE(save("a", 1));
  EXPECT_THAT(problem_, HasSubstr("cannot be written"));
  EXPECT_TRUE(load("a").is_null());
}

TEST_F(CacheFile, AFolderInTheFilesPlaceIsASentence) {
  std::filesystem::create_directories(path());
  EXPECT_TRUE(load("a").is_null());
  EXPECT_THAT(problem_, HasSubstr("cannot be read"));
  EXPECT_FALSE(save("a", 1));
  EXPECT_THAT(problem_, HasSubstr("cannot be written"));
}

TEST_F(CacheFile, WithoutAHomeNothingIsKept) {
  const char* home = std::getenv("HOME");
  const std::string kept = home ? home : "";
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_TRUE(cache_folder().empty());
  EXPECT_TRUE(load("a").is_null());
  EXPECT_FALSE(save("a", 1));
  EXPECT_EQ(
      problem_,
      "Neither XDG_CACHE_HOME nor HOME is set to an absolute path, so measurements are not remembered. Set HOME to "
      "keep them.");
  if (home) setenv("HOME", kept.c_str(), 1);
}

TEST(DeviceKey, TellsDevicesApart) {
  Device device{.backend = Backend::cpu, .name = "A", .multiprocessors = 2};
  const std::string key = device_key(device);
  EXPECT_THAT(key, HasSubstr("A"));
  device.multiprocessors = 4;
  EXPECT_NE(device_key(device), key);
  device.multiprocessors = 2;
  device.name = "B";
  EXPECT_NE(device_key(device), key);
}

TEST(DeviceLimits, TheCpuIsMeasuredOnceAndRemembered) {
  const CacheHome cache;
  const auto compute = make_compute(Backend::cpu);
  std::string problem;
  EXPECT_EQ(load_limits(compute->device(), &problem).flop_per_second, 0);
  const DeviceLimits first = known_limits(*compute, &problem);
  EXPECT_THAT(problem, IsEmpty());
  EXPECT_FALSE(first.from_cache);
  EXPECT_GT(first.flop_per_second, 1e8);
  EXPECT_LT(first.flop_per_second, 1e14);
  EXPECT_GT(first.copy_bytes_per_second, 1e7);
  EXPECT_LT(first.copy_bytes_per_second, 1e13);

  const DeviceLimits second = known_limits(*compute, &problem);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.flop_per_second, first.flop_per_second);
  EXPECT_EQ(second.copy_bytes_per_second, first.copy_bytes_per_second);
}

TEST(DeviceLimits, MeasuredAgainTheHigherRatesAreKept) {
  const CacheHome cache;
  const auto compute = make_compute(Backend::cpu);
  save_limits(compute->device(),
              {.copy_bytes_per_second = 1, .flop_per_second = 1e20});  // a busy machine's, and none's
  std::string problem;
  const DeviceLimits found = measure_limits_again(*compute, &problem);
  EXPECT_THAT(problem, IsEmpty());
  EXPECT_GT(found.copy_bytes_per_second, 1e7);
  EXPECT_EQ(found.flop_per_second, 1e20);
  EXPECT_FALSE(found.from_cache);
  const DeviceLimits kept = load_limits(compute->device());
  EXPECT_EQ(kept.copy_bytes_per_second, found.copy_bytes_per_second);
  EXPECT_EQ(kept.flop_per_second, found.flop_per_second);
  EXPECT_EQ(measure_limits_again(*make_compute(Backend::emulated)).flop_per_second, 0);
}

TEST(DeviceLimits, NonsenseInTheFileIsMeasuredAgain) {
  const CacheHome cache;
  const Device device = make_compute(Backend::cpu)->device();
  for (const json& entry :
       {json(3), json{{"flop_per_second", 1e9}}, json{{"flop_per_second", -1}, {"copy_bytes_per_second", 1e9}},
        json{{"flop_per_second", "x"}, {"copy_bytes_per_second", 1e9}}}) {
    save_cache_entry("limits.json", device_key(device), entry, nullptr);
    EXPECT_FALSE(load_limits(device).from_cache) << entry;
  }
}

TEST(DeviceLimits, TheEmulatorHasNone) {
  const DeviceLimits limits = known_limits(*make_compute(Backend::emulated));
  EXPECT_EQ(limits.flop_per_second, 0);
  EXPECT_EQ(limits.copy_bytes_per_second, 0);
}

}  // namespace
}  // namespace convoscope
