// Kernel files that are right, wrong and dishonest. Each says in its first line what is to be found.
#include "kernels/own/grade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernels/own/new_kernel.h"
#include "kernels/own/process.h"

namespace convoscope::own {
namespace {

using testing::HasSubstr;

std::vector<std::string> kernels_in(const std::string& folder, char first, char last) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(KERNEL_FILES "/" + folder)) {
    const std::string name = entry.path().stem().string();
    if (name[0] >= first && name[0] <= last) names.push_back(folder + "/" + name);
  }
  std::ranges::sort(names);
  return names;
}

std::string expected_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::string begin = "// expected: ";
  return line.starts_with(begin) ? line.substr(begin.size()) : std::string();
}

std::string all_words(const Grade& grade) {
  std::string text;
  for (const SourceError& error : grade.errors) text += with_caret(grade.file, grade.source, error.place, error.what());
  for (const std::string& finding : grade.findings) text += finding + "\n";
  return text + grade.first_wrong + "; " + grade.worst;
}

class KernelFiles : public testing::TestWithParam<std::string> {};

TEST_P(KernelFiles, AreFoundOut) {
  const std::string path = KERNEL_FILES "/" + GetParam() + ".cu";
  const std::string expected = expected_of(path);
  ASSERT_FALSE(expected.empty());
  const Grade made = grade(path, {.deadline = 3, .seed = 7});
  if (expected == "right") {
    EXPECT_EQ(made.verdict, Grade::Verdict::right) << all_words(made);
    return;
  }
  EXPECT_NE(made.verdict, Grade::Verdict::right);
  EXPECT_THAT(all_words(made), HasSubstr(expected));
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).filename().string();
  std::erase(name, '-');
  return name;
}

// In two halves, so that two cores have something to do.
INSTANTIATE_TEST_SUITE_P(WrongA, KernelFiles, testing::ValuesIn(kernels_in("wrong", 'a', 'm')), test_name);
INSTANTIATE_TEST_SUITE_P(WrongN, KernelFiles, testing::ValuesIn(kernels_in("wrong", 'n', 'z')), test_name);
INSTANTIATE_TEST_SUITE_P(Cheats, KernelFiles, testing::ValuesIn(kernels_in("cheats", 'a', 'z')), test_name);

TEST(KernelFileTests, AreAsManyAsFaultsThatArePromised) {
  EXPECT_GE(kernels_in("wrong", 'a', 'z').size(), 24u);
  EXPECT_GE(kernels_in("cheats", 'a', 'z').size(), 12u);
}

Grade grade_of_text(const std::string& text, const GradeOptions& options = {.deadline = 10, .seed = 3}) {
  const TemporaryFolder folder;
  folder.write("own.cu", text);
  return grade(folder.path() + "/own.cu", options);
}

void expect_fork_is_right(const std::string& kind, const std::string& id) {
  const Grade made = grade_of_text(new_kernel_text({.kind = find_kind(kind), .format = {}, .fork = id}));
  EXPECT_EQ(made.verdict, Grade::Verdict::right) << all_words(made);
  EXPECT_GT(made.asked, made.not_asked);
  EXPECT_TRUE(made.counts.counted);
  // What is counted is what the ladder's own model says; blocks at the edge load a little less or more.
  if (!id.empty()) {
    EXPECT_NEAR(made.counts.nearest_loads, made.counts.loads_per_output, 0.35 * made.counts.loads_per_output);
  }
}

TEST(NewKernel, IsRight) {
  expect_fork_is_right("image", "");
  expect_fork_is_right("signal", "");
}

TEST(NewKernel, OfOneFormatIsRight) {
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f}) {
    const Grade made = grade_of_text(new_kernel_text({.format = format, .fork = {}}));
    EXPECT_EQ(made.verdict, Grade::Verdict::right) << all_words(made);
  }
}

TEST(ForkedLessonInShort, IsRight) {
  for (const char* id : {"constant", "tiled-cached-halo", "separable-coalesced"}) {
    SCOPED_TRACE(id);
    expect_fork_is_right("image", id);
  }
}

class ForkedLesson : public testing::TestWithParam<std::pair<std::string, std::string>> {};
TEST_P(ForkedLesson, IsRight) { expect_fork_is_right(GetParam().first, GetParam().second); }

std::vector<std::pair<std::string, std::string>> lessons() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Kind* kind : kinds())
    for (const std::string& id : forkable(*kind)) all.emplace_back(kind->id, id);
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, ForkedLesson, testing::ValuesIn(lessons()));

TEST(GradeOfAKernel, IsTheSameForTheSameSeed) {
  const std::string path = KERNEL_FILES "/wrong/partly-unwritten.cu";
  const Grade first = grade(path, {.seed = 11}), second = grade(path, {.seed = 11});
  EXPECT_EQ(first.findings, second.findings);
  EXPECT_EQ(first.first_wrong, second.first_wrong);
}

TEST(GradeOfAKernel, NamesTheLineOfARace) {
  const Grade made = grade(KERNEL_FILES "/wrong/missing-barrier.cu", {.seed = 5});
  ASSERT_FALSE(made.faults.empty());
  EXPECT_THAT(line_of(made.source, made.faults[0].line), HasSubstr("tile["));
  EXPECT_THAT(line_of(made.source, made.faults[0].other_line), HasSubstr("tile["));
  EXPECT_NE(made.faults[0].line, made.faults[0].other_line);
}

TEST(GradeOfAKernel, ShowsACompilersErrorWithItsCaret) {
  std::string text = new_kernel_text({.fork = {}});
  text.replace(text.find("sum.add(pixel"), 13, "sum.add(pixl_");
  const Grade made = grade_of_text(text);
  EXPECT_EQ(made.verdict, Grade::Verdict::unusable);
  ASSERT_FALSE(made.errors.empty());
  EXPECT_THAT(line_of(made.source, made.errors[0].place.line), HasSubstr("pixl_"));
  EXPECT_THAT(all_words(made), HasSubstr("^"));
}

TEST(GradeOfAKernel, CountsWhatIsLoaded) {
  const Grade made = grade_of_text(new_kernel_text({.format = PixelFormat::gray32f, .fork = {}}));
  EXPECT_DOUBLE_EQ(made.counts.loads_per_output, 25);  // taps
  EXPECT_EQ(made.counts.nearest, "constant");
  EXPECT_DOUBLE_EQ(made.counts.idle_threads, 0);
  ASSERT_FALSE(made.why_slower.empty());
  EXPECT_LE(made.why_slower.size(), 3u);
}

}  // namespace
}  // namespace convoscope::own
