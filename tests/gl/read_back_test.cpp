#include "kernels/text/error.h"
#include "tests/gl/canvas.h"

namespace convoscope {
namespace {

class ReadBackTest : public GlTest {
 protected:
  static void clear(float red) {
    const float colour[4] = {red, 0, 0, 1};
    glClearBufferfv(GL_COLOR, 0, colour);
  }
};

TEST_F(ReadBackTest, RowsComeTopFirst) {
  clear(0);
  const float marked[4] = {0, 1, 0, 1};
  glEnable(GL_SCISSOR_TEST);
  glScissor(5, height - 3, 1, 1);  // OpenGL counts from the bottom: this is row 2 from the top
  glClearBufferfv(GL_COLOR, 0, marked);
  glDisable(GL_SCISSOR_TEST);
  const Shot shot = shoot();
  EXPECT_EQ(shot.pixels.width, width);
  EXPECT_EQ(shot.pixels.height, height);
  EXPECT_EQ(shot.at(5, 2), (Pixel{0, 255, 0}));
  EXPECT_EQ(shot.at(5, height - 3), (Pixel{0, 0, 0}));
  EXPECT_EQ(shot.pixels.rgba[3], 255);
}

TEST_F(ReadBackTest, GivesFramesInOrderAndRefusesAFifth) {
  const auto read_back = ReadBack::make(width, height);
  for (int i = 0; i < 4; ++i) {
    clear(static_cast<float>(i) / 255 * 10);
    EXPECT_TRUE(read_back->request(context_->framebuffer(), i * 0.5));
  }
  EXPECT_FALSE(read_back->request(context_->framebuffer(), 9));
  ReadBack::Pixels pixels;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(read_back->take_pixels(pixels, true));
    EXPECT_EQ(pixels.seconds, i * 0.5);
    EXPECT_EQ(pixels.rgba[0], i * 10);
  }
  EXPECT_FALSE(read_back->take_pixels(pixels, true));
}

TEST_F(ReadBackTest, GoesRoundItsRing) {
  const auto read_back = ReadBack::make(width, height);
  ReadBack::Pixels pixels;
  for (int i = 0; i < 21; ++i) {
    clear(static_cast<float>(i) / 255);
    ASSERT_TRUE(read_back->request(context_->framebuffer(), i));
    if (i < 2) continue;  // two always in flight
    ASSERT_TRUE(read_back->take_pixels(pixels, true));
    EXPECT_EQ(pixels.rgba[0], i - 2);
    EXPECT_EQ(pixels.seconds, i - 2);
  }
}

TEST_F(ReadBackTest, WithoutWaitingItComesSoon) {
  const auto read_back = ReadBack::make(width, height);
  ReadBack::Pixels pixels;
  EXPECT_FALSE(read_back->take_pixels(pixels, false));
  clear(1);
  ASSERT_TRUE(read_back->request(context_->framebuffer(), 0));
  glFinish();
  ASSERT_TRUE(read_back->take_pixels(pixels, false));
  EXPECT_EQ(pixels.rgba[0], 255);
}

TEST_F(ReadBackTest, LeavesTheBoundFramebufferAlone) {
  const gl::Framebuffer other = gl::make_framebuffer();
  glBindFramebuffer(GL_READ_FRAMEBUFFER, other.get());
  const auto read_back = ReadBack::make(width, height);
  ASSERT_TRUE(read_back->request(context_->framebuffer(), 0));
  GLint bound = 0;
  glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &bound);
  EXPECT_EQ(static_cast<GLuint>(bound), other.get());
}

TEST_F(ReadBackTest, RefusesAnEmptyPicture) { EXPECT_THROW(ReadBack::make(0, 10), Error); }

}  // namespace
}  // namespace convoscope
