// What is told of files with filters.
#include "app/steps/filter_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "app/state/stats.h"
#include "app/state/workbench.h"
#include "tests/kernels/filter/array_files.h"

namespace convoscope::test {
namespace {

TEST(FilterFiles, AFailureGivesWayToWhatSucceedsAfterIt) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "filter_files_test";
  std::filesystem::create_directories(folder);
  const std::string bad = folder / "bad.npy", good = folder / "good.json";
  std::ofstream(bad) << "no weights";
  std::vector<Message> messages;
  const MessagePoster poster(messages);
  Settings settings = default_settings();
  show_workbench(settings, "layer");  // makes a bank
  const auto obey = [&](std::optional<std::string> Requests::*asked, const std::string& path) {
    Requests requests;
    requests.*asked = path;
    obey_filter_files(requests, settings, folder, poster);
  };
  obey(&Requests::save_bank, good);
  obey(&Requests::load_bank, bad);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].level, MessageLevel::error);
  obey(&Requests::load_bank, good);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].text, "Loaded the bank of " + good + ".");
  const std::string precise = folder / "precise.npy";
  std::ofstream(precise, std::ios::binary)
      << test::npy_file(test::npy_header("(3, 1, 1, 1)", "<f8"), test::bytes_of<double>({0.1, 0.2, 0.3}));
  obey(&Requests::load_bank, precise);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].text,
            "Loaded the bank of " + precise + ". The file's numbers (float64) were rounded to float32.");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace convoscope::test
