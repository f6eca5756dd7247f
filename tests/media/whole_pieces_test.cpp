#include "app/media/write/whole_pieces.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/media/ffmpeg/cut_off.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

namespace fs = std::filesystem;

// What a full disk leaves may end anywhere, also within the header of a piece.
TEST(WholePieces, PlayWhereverWritingHasStopped) {
  const std::string folder = fresh_folder("whole-pieces"), clip = folder + "/clip.mp4", torn = folder + "/torn.mp4";
  ASSERT_EQ(run("ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:r=10 -frames:v 30 -c:v libx264 -g 10 -movflags "
                "frag_keyframe+empty_moov+default_base_moof " +
                clip),
            0);
  std::ifstream file(clip, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::size_t> pieces;  // where each begins
  for (std::size_t at = bytes.find("moof"); at != std::string::npos; at = bytes.find("moof", at + 4))
    pieces.push_back(at - 4);
  ASSERT_EQ(pieces.size(), 3u);
  const std::size_t end = bytes.rfind("mfra") - 4;
  struct Cut {
    std::size_t at, left;
  };
  std::vector<Cut> cuts{{pieces[1] - 1, 0}, {pieces[1], pieces[1]}, {pieces[2] - 1, pieces[1]}, {end, end}};
  for (std::size_t into = 1; into < 200; into += 9) cuts.push_back({pieces[2] + into, pieces[2]});
  for (const auto& [at, left] : cuts) {
    SCOPED_TRACE(at);
    std::ofstream(torn, std::ios::binary | std::ios::trunc) << bytes.substr(0, at);
    EXPECT_EQ(has_a_whole_piece(torn), left > 0);
    EXPECT_EQ(keep_whole_pieces(torn), left > 0);
    EXPECT_EQ(fs::file_size(torn), left > 0 ? left : at);
    if (left > 0) EXPECT_TRUE(has_a_picture(torn));
  }
  std::ofstream(torn, std::ios::binary | std::ios::trunc) << "no boxes at all";
  EXPECT_FALSE(keep_whole_pieces(torn));
  EXPECT_FALSE(has_a_whole_piece(folder + "/missing.mp4"));
}

}  // namespace
}  // namespace convoscope::test
