// convoscope filter into pictures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class FilteredPictures : public testing::Test {
 protected:
  FilteredPictures() {
    const std::string ffmpeg = "cd '" + folder_.path().string() + "' && ffmpeg -v error -y -f lavfi -i ";
    shell(ffmpeg + "testsrc2=s=32x24:r=10:d=0.4 -c:v ffv1 -pix_fmt bgr0 in.mkv");
    shell(ffmpeg + "testsrc2=s=33x25,format=rgba,colorchannelmixer=aa=0.5 -frames:v 1 in.png");
  }
  Outcome filter(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "filter");
    arguments.insert(arguments.end(), {"--backend", "cpu"});
    return run_program(arguments, folder_.path(), false);
  }
  std::string pixels_of(const std::string& input) const {
    return output_of("cd '" + folder_.path().string() + "' && ffmpeg -v error -i " + input +
                     " -f rawvideo -pix_fmt rgba - | md5sum");
  }
  bool has(const std::string& name) const { return fs::exists(folder_ / name); }

  const Folder folder_;
};

TEST_F(FilteredPictures, APictureBecomesOne) {
  const Outcome done = filter({"in.png", "out.png", "--filter", "identity", "--lossless"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("Wrote 1 frame to 'out.png' in "), HasSubstr(", as PNG.")));
  EXPECT_EQ(pixels_of("out.png"), pixels_of("in.png")) << "transparency too";
  EXPECT_NE(pixels_of("out.png"), "");
  EXPECT_EQ(filter({"in.png", "out.png", "--filter", "sobel-x"}).exit_code, 0);
  EXPECT_NE(pixels_of("out.png"), pixels_of("in.png"));
  EXPECT_EQ(filter({"in.png", "in.png"}).exit_code, 2);
}

TEST_F(FilteredPictures, OfOtherKindsAreWrittenToo) {
  for (const std::string ending : {"tif", "tiff", "webp"}) {
    const Outcome done = filter({"in.png", "out." + ending, "--filter", "identity", "--lossless"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr(ending == "webp" ? ", as WebP without loss." : ", as TIFF."));
    EXPECT_EQ(filter({"out." + ending, "again.png", "--filter", "identity"}).exit_code, 0);
    EXPECT_EQ(pixels_of("again.png"), pixels_of("in.png")) << "transparency too";
  }
  Outcome done = filter({"in.png", "out.JPG", "--filter", "identity"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err,
              HasSubstr(", as JPEG of the finest quality, 4:4:4; JPEG has no transparency, so it was laid over "
                        "black."));
  done = filter({"in.mkv", "f%d.jpeg", "--filter", "identity"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("Wrote 4 frames to 'f%d.jpeg' in "), HasSubstr("4:4:4. ")));
  EXPECT_EQ(probe(folder_ / "f4.jpeg", "-show_entries stream=codec_name,width,height,pix_fmt"),
            "mjpeg,32,24,yuvj444p\n");
  EXPECT_EQ(filter({"in.png", "out.jpg", "--lossless"}).exit_code, 2);
  done = filter({"in.png", "out.bmp"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("'out.bmp' must end in .mp4, .mov, .mkv, .y4m, .png, .jpg, "));
}

TEST_F(FilteredPictures, AnEndingAloneIsNoName) {
  for (const std::string name : {".mp4", "./.PNG"}) {
    const Outcome refused = filter({"in.png", name});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("OUTPUT '" + name + "' is an ending without a name."));
  }
}

TEST_F(FilteredPictures, HiddenColoursDoNotBleedIntoWhatIsSeen) {
  shell("cd '" + folder_.path().string() +
        "' && ffmpeg -v error -y -f lavfi -i \"nullsrc=s=16x8,format=rgba,geq=r='if(lt(X,8),0,255)':g=0:b='if(lt(X,8)"
        ",200,0)':a='if(lt(X,8),255,0)'\" -frames:v 1 half.png");
  for (const char* backend : {"cpu", "emulated"}) {
    const Outcome done =
        run_program({"filter", "half.png", "out.png", "--filter", "gaussian:radius=2", "--backend", backend},
                    folder_.path(), false);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr(" on colours weighted by alpha, as PNG"));
    const std::string pixels =
        output_of("cd '" + folder_.path().string() +
                  "' && ffmpeg -v error -i out.png -f rawvideo -pix_fmt rgba - | od -An -v -tx1 -w4 | tr -d ' '");
    // A row: blue as far as anything is seen, ever less of it, and nothing beyond the radius.
    EXPECT_THAT(pixels, AllOf(HasSubstr("0000c8ff"), HasSubstr("00000000"), testing::Not(HasSubstr("ff0000"))));
    for (std::size_t at = 0; at + 8 <= pixels.size(); at += 9) {
      const std::string pixel = pixels.substr(at, 8);
      EXPECT_EQ(pixel.substr(0, 6), pixel.substr(6) == "00" ? "000000" : "0000c8") << at / 9;
    }
  }
}

TEST_F(FilteredPictures, EveryFrameHasAFileOfItsOwn) {
  const Outcome done = filter({"in.mkv", "f%03d-%d.png", "--filter", "identity"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("Wrote 4 frames to 'f%03d-%d.png' in "));
  for (const char* name : {"f001-1.png", "f002-2.png", "f003-3.png", "f004-4.png"}) {
    ASSERT_TRUE(has(name)) << name;
    fs::rename(folder_ / name, folder_ / ("frame" + std::string(name).substr(1, 3) + ".png"));
  }
  EXPECT_FALSE(has("f005-5.png"));
  EXPECT_EQ(pixels_of("frame%03d.png"), pixels_of("in.mkv"));

  const Outcome over_itself = filter({"frame%03d.png", "./frame%03d.png", "--filter", "box:radius=1"});
  EXPECT_EQ(over_itself.exit_code, 2);
  EXPECT_THAT(over_itself.err, HasSubstr("which would be overwritten"));
  EXPECT_EQ(pixels_of("frame%03d.png"), pixels_of("in.mkv"));
}

TEST_F(FilteredPictures, OnePictureIsNotMadeOfMany) {
  folder_.write("out.png", "old");
  const Outcome refused = filter({"in.mkv", "out.png"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("'out.png' takes one picture"), HasSubstr("frame%04d.png")));
  EXPECT_EQ(folder_.read("out.png"), "old");
  EXPECT_EQ(filter({"in.mkv", "none/f%d.png"}).exit_code, 2);
}

TEST_F(FilteredPictures, EachHasItsOwnSize) {
  shell("cd '" + folder_.path().string() +
        "' && ffmpeg -v error -f lavfi -i color=red:s=16x16 -frames:v 1 p1.png && "
        "ffmpeg -v error -f lavfi -i color=red:s=24x16 -frames:v 1 p2.png");
  const Outcome done = filter({"p%d.png", "q%d.png", "--filter", "identity"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  for (const char* number : {"1", "2"})
    EXPECT_EQ(pixels_of("q" + std::string(number) + ".png"), pixels_of("p" + std::string(number) + ".png"));
}

}  // namespace
}  // namespace convoscope
