#include "app/gl/compositor.h"

#include <algorithm>
#include <cmath>

#include "app/gl/gl_objects.h"
#include "app/gl/gl_timer.h"
#include "app/gl/shader_program.h"

namespace convoscope {
namespace {

constexpr float nearest_from = 2.0f;  // screen pixels per source pixel from which pixels are shown as squares
constexpr float grid_from = 16.0f;    // and from which lines part them
constexpr float grid_strength = 0.18f;
constexpr float divider_width = 2.0f;       // of the wipe
constexpr float divider_edge_width = 1.0f;  // dark, on either side, so that it shows on white too
constexpr float frame_width = 2.0f;         // round the active pane
constexpr float tap_spacing = 1.2f;         // source pixels; wider, and bilinear taps let the finest detail through
constexpr int max_taps = 16;                // each way: enough to reduce a picture tenfold

using Colour = std::array<float, 3>;
constexpr Colour divider_colour{0.95f, 0.95f, 0.95f}, divider_edge{0.05f, 0.05f, 0.05f};

Rectangle intersection(const Rectangle& a, const Rectangle& b) {
  const float left = std::max(a.x, b.x), top = std::max(a.y, b.y);
  const float right = std::min(a.x + a.width, b.x + b.width), bottom = std::min(a.y + a.height, b.y + b.height);
  return {left, top, std::max(right - left, 0.0f), std::max(bottom - top, 0.0f)};
}

// A fragment shader that shows a picture, and where its uniforms are.
struct PictureProgram {
  explicit PictureProgram(std::string_view file)
      : program(gl::link_program({"fullscreen.vert"},
                                 {"picture_mapping.glsl", "area_sampling.glsl", "pixel_grid.glsl", file})),
        picture(glGetUniformLocation(program.get(), "picture")),
        source_size(glGetUniformLocation(program.get(), "source_size")),
        taps(glGetUniformLocation(program.get(), "taps")),
        grid(glGetUniformLocation(program.get(), "grid_strength")),
        gain(glGetUniformLocation(program.get(), "gain")) {}
  gl::Program program;
  GLint picture, source_size, taps, grid, gain;
};

class GlCompositor final : public Compositor {
 public:
  GlCompositor() : triangle_(gl::make_vertex_array()), nearest_(sampler(GL_NEAREST)), linear_(sampler(GL_LINEAR)) {}

  void draw(std::span<const PaneTexture> panes, const Composition& composition) override {
    timer_->start();
    begin(composition);
    const int count = static_cast<int>(panes.size());
    if (composition.view == View::difference && count >= 2) {
      draw_picture(difference_, panes[0], panes[1], composition, composition.area, composition.area);
    } else {
      for (int i = 0; i < count; ++i) {
        const bool alone = composition.view == View::difference;  // nothing to compare with
        const Rectangle visible = alone ? composition.area : visible_rectangle(composition, i, count);
        const PaneTexture& pane = panes[static_cast<std::size_t>(i)];
        draw_picture(picture_, pane, pane, composition, pane_rectangle(composition, i, count), visible);
      }
    }
    if (composition.view == View::split) draw_dividers(composition, count);
    if (composition.view == View::grid && count > 1) draw_frame(composition, count);
    end();
    timer_->stop();
  }

  std::optional<double> poll_ms() override { return timer_->poll_ms(); }

 private:
  static gl::Sampler sampler(GLint filter) {
    gl::Sampler sampler = gl::make_sampler();
    glSamplerParameteri(sampler.get(), GL_TEXTURE_MIN_FILTER, filter);
    glSamplerParameteri(sampler.get(), GL_TEXTURE_MAG_FILTER, filter);
    glSamplerParameteri(sampler.get(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(sampler.get(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return sampler;
  }

  void begin(const Composition& composition) {
    GLint viewport[4];
    glGetIntegerv(GL_VIEWPORT, viewport);
    framebuffer_ = {0, 0, static_cast<float>(viewport[2]), static_cast<float>(viewport[3])};
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_SCISSOR_TEST);
    glBindVertexArray(triangle_.get());
    fill(framebuffer_, {composition.background[0], composition.background[1], composition.background[2]});
  }

  static void end() {
    glDisable(GL_SCISSOR_TEST);
    glBindSamplers(0, 2, nullptr);  // the panels' renderer has textures of its own
    glBindVertexArray(0);
    glUseProgram(0);
  }

  // False when nothing of it is on the framebuffer. OpenGL counts rows from the bottom.
  bool scissor(const Rectangle& rectangle) const {
    const Rectangle inside = intersection(rectangle, framebuffer_);
    const auto left = static_cast<GLint>(std::lround(inside.x));
    const auto right = static_cast<GLint>(std::lround(inside.x + inside.width));
    const auto bottom = static_cast<GLint>(std::lround(framebuffer_.height - inside.y - inside.height));
    const auto top = static_cast<GLint>(std::lround(framebuffer_.height - inside.y));
    if (right <= left || top <= bottom) return false;
    glScissor(left, bottom, right - left, top - bottom);
    return true;
  }

  void fill(const Rectangle& rectangle, const Colour& colour) const {
    const float value[4] = {colour[0], colour[1], colour[2], 1.0f};
    if (scissor(rectangle)) glClearBufferfv(GL_COLOR, 0, value);
  }

  void draw_picture(const PictureProgram& shader, const PaneTexture& image, const PaneTexture& other,
                    const Composition& composition, const Rectangle& pane, const Rectangle& visible) const {
    const Rectangle at = picture_rectangle(pane, composition, image.width, image.height);
    const Rectangle part = intersection(intersection(at, pane), intersection(visible, composition.area));
    if (!scissor(part)) return;
    const float across = at.width / static_cast<float>(image.width);  // screen pixels per source pixel
    const float down = at.height / static_cast<float>(image.height);
    const float smallest = std::min(across, down);
    const bool exact = smallest >= nearest_from || (across == 1.0f && down == 1.0f);
    const GLuint sampler = exact ? nearest_.get() : linear_.get();
    const GLuint textures[2] = {image.name, other.name}, samplers[2] = {sampler, sampler};
    glBindTextures(0, 2, textures);
    glBindSamplers(0, 2, samplers);
    glUseProgram(shader.program.get());
    glUniform4f(shader.picture, at.x, framebuffer_.height - at.y - at.height, at.width, at.height);
    glUniform2f(shader.source_size, static_cast<float>(image.width), static_cast<float>(image.height));
    glUniform1i(shader.taps, taps(smallest));
    glUniform1f(shader.grid, smallest > grid_from ? grid_strength : 0.0f);
    if (shader.gain >= 0) glUniform1f(shader.gain, composition.difference_gain);
    glDrawArrays(GL_TRIANGLES, 0, 3);
  }

  // Each way, over the two screen pixels that the tent is wide.
  static int taps(float screen_pixels_per_source_pixel) {
    if (screen_pixels_per_source_pixel >= 1.0f) return 1;
    return std::clamp(static_cast<int>(std::ceil(2.0f / screen_pixels_per_source_pixel / tap_spacing)), 2, max_taps);
  }

  static float line_width(float width, const Composition& composition) {
    return std::max(std::round(width * composition.line_scale), 1.0f);
  }

  void draw_dividers(const Composition& composition, int count) const {
    const float width = line_width(divider_width, composition), edge = line_width(divider_edge_width, composition);
    for (int i = 1; i < count; ++i) {
      const float left = visible_rectangle(composition, i, count).x - std::floor(width / 2);
      const Rectangle line{left, composition.area.y, width, composition.area.height};
      const Rectangle with_edges{left - edge, line.y, width + 2 * edge, line.height};
      fill(intersection(with_edges, composition.area), divider_edge);
      fill(intersection(line, composition.area), divider_colour);
    }
  }

  void draw_frame(const Composition& composition, int count) const {
    const Colour colour{composition.accent[0], composition.accent[1], composition.accent[2]};
    const Rectangle r = pane_rectangle(composition, std::clamp(composition.active, 0, count - 1), count);
    const float width = line_width(frame_width, composition);
    fill({r.x, r.y, r.width, width}, colour);
    fill({r.x, r.y + r.height - width, r.width, width}, colour);
    fill({r.x, r.y, width, r.height}, colour);
    fill({r.x + r.width - width, r.y, width, r.height}, colour);
  }

  gl::VertexArray triangle_;
  gl::Sampler nearest_, linear_;
  PictureProgram picture_{"picture.frag"}, difference_{"difference.frag"};
  std::unique_ptr<GlTimer> timer_ = GlTimer::make();
  Rectangle framebuffer_;
};

}  // namespace

std::unique_ptr<Compositor> Compositor::make() { return std::make_unique<GlCompositor>(); }

}  // namespace convoscope
