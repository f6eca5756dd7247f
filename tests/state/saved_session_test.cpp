// A session that is saved under a name: its rights, and what is said where it cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/session/keeper.h"
#include "tests/cli/folder.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

class KeeperSaves : public testing::Test {
 protected:
  KeeperSaves() {
    setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  }
  Folder folder;
  Stats stats;
};

// A saved session is for others, too, as any file that a person saves; what is kept by itself is one's own.
TEST_F(KeeperSaves, AKeeperSavesHasTheRightsOfAnyNewFile) {
  const std::string file = folder / "shared.json";
  const mode_t usual = ::umask(022);
  Keeper keeper({});
  keeper.begin(keeper.remembered());
  keeper.save_as(file, keeper.remembered(), stats);
  keeper.finish(keeper.remembered(), stats);
  ::umask(usual);
  const auto rights = [](const std::filesystem::path& path) {
    return static_cast<unsigned>(std::filesystem::status(path).permissions());
  };
  EXPECT_EQ(rights(file), 0644u);
  EXPECT_EQ(rights(keeper.session_path()), 0600u);
}

TEST_F(KeeperSaves, ASessionThatCannotBeSavedSaysAWayOut) {
  std::ofstream(folder / "a-file") << "x";
  Keeper keeper({});
  keeper.begin(keeper.remembered());
  keeper.save_as(folder / "a-file/session.json", keeper.remembered(), stats);
  keeper.finish(keeper.remembered(), stats);
  std::vector<std::string> said;
  while (const auto outcome = keeper.poll()) said.push_back(outcome->text);
  EXPECT_THAT(said, testing::Contains(testing::AllOf(HasSubstr("The session has not been saved."),
                                                     HasSubstr("has room. Ctrl+S saves it elsewhere."))));
}

}  // namespace
}  // namespace convoscope
