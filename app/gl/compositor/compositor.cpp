#include "app/gl/compositor/compositor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gl/gl_objects.h"
#include "app/gl/gl_timer.h"
#include "app/gl/shader_program.h"
#include "app/state/difference.h"

namespace convoscope {
namespace {

constexpr float nearest_from = 2.0f;  // screen pixels per source pixel from which pixels are shown as squares
constexpr float grid_from = 16.0f;    // and from which lines part them
constexpr float grid_strength = 0.18f;
constexpr float divider_width = 2.0f;              // of the wipe
constexpr float divider_edge_width = 1.0f;         // dark, on either side, so that it shows on white too
constexpr float frame_width = 2.0f;                // round the active pane
constexpr int group_width = 16, group_height = 8;  // of reduce.comp
constexpr int direct_fetches = 4;  // a screen pixel: the fragment shader reduces with as many, compute with more

using Colour = std::array<float, 3>;
constexpr std::array<float, 4> whole{1, 0, -1e7f, 1e7f};  // a slice without lines
constexpr Colour divider_colour{0.95f, 0.95f, 0.95f}, divider_edge{0.05f, 0.05f, 0.05f};

Rectangle intersection(const Rectangle& a, const Rectangle& b) {
  const float left = std::max(a.x, b.x), top = std::max(a.y, b.y);
  const float right = std::min(a.x + a.width, b.x + b.width), bottom = std::min(a.y + a.height, b.y + b.height);
  return {left, top, std::max(right - left, 0.0f), std::max(bottom - top, 0.0f)};
}

// Whole framebuffer pixels, counted from the bottom as OpenGL does.
struct PixelBox {
  GLint left = 0, bottom = 0, right = 0, top = 0;
  explicit operator bool() const { return right > left && top > bottom; }
};

// Keeps of the pixels from `first` up to `end` those whose centres lie in a slice across this axis, where sign · (k +
// ½) is from `low` up to `high`.
void cut_to_slice(GLint& first, GLint& end, float sign, float low, float high) {
  const float from = sign > 0 ? std::ceil(low - 0.5f) : std::floor(-high - 0.5f) + 1;
  const float to = sign > 0 ? std::ceil(high - 0.5f) : std::floor(-low - 0.5f) + 1;
  first = std::max(first, static_cast<GLint>(from));
  end = std::min(end, static_cast<GLint>(to));
}

// A shader that shows or reduces pictures, and where its uniforms are; -1: it has no such.
struct PictureProgram {
  explicit PictureProgram(gl::Program linked) : program(std::move(linked)) {}
  GLint at(const char* uniform) const { return glGetUniformLocation(program.get(), uniform); }
  gl::Program program;
  GLint picture = at("picture"), source_size = at("source_size"), grid = at("grid_strength"), part = at("part"),
        slice = at("slice"), has_alpha = at("has_alpha"), mode = at("mode"), gain = at("gain"),
        threshold = at("threshold"), false_colour = at("false_colour"), stops = at("stops");
};

// The ways to a picture on screen.
struct PicturePrograms {
  PicturePrograms(std::string_view colour, int pixels_at_once)
      : magnified(gl::link_program({"fullscreen.vert"},
                                   {"picture_mapping.glsl", "tent.glsl", colour, "backdrop.glsl", "magnified.frag"})),
        show(gl::link_program({"fullscreen.vert"}, {"picture_mapping.glsl", "tent.glsl", colour, "backdrop.glsl",
                                                    "pixel_grid.glsl", "slice.glsl", "show.frag"})),
        reduce(gl::link_compute_program(
            {"picture_mapping.glsl", "tent.glsl", colour, "backdrop.glsl", "slice.glsl", "reduce.comp"})),
        pixels_a_fetch(pixels_at_once) {}
  // Along one axis of the tent, which is two screen pixels wide.
  int fetches(float screen_pixels_per_source_pixel) const {
    const int pixels = static_cast<int>(std::ceil(2 / std::min(screen_pixels_per_source_pixel, 1.0f)));
    return (pixels + pixels_a_fetch - 1) / pixels_a_fetch;
  }
  PictureProgram magnified, show, reduce;
  int pixels_a_fetch;  // along one axis: 2 where the hardware interpolates by the tent's weights
};

// One pane's picture in one frame.
struct Placed {
  const PictureProgram* program;
  PaneTexture image, other;
  Rectangle picture;
  PixelBox part;
  std::array<float, 4> slice;  // as slice.glsl takes it
  float screen_pixels;         // for each source pixel, where it is smaller
  bool exact;                  // source pixels as squares
  bool grid;                   // parted by lines
};

class GlCompositor final : public Compositor {
 public:
  GlCompositor() : triangle_(gl::make_vertex_array()), nearest_(sampler(GL_NEAREST)), linear_(sampler(GL_LINEAR)) {}

  void draw(std::span<const PaneTexture> panes, const Composition& composition) override {
    timer_->start();
    begin(composition);
    const int count = static_cast<int>(panes.size());
    shown_.clear();
    reduced_.clear();
    const ComparedPanes compared = compared_panes(composition.difference, count);
    if (composition.view == View::difference && count >= 2) {
      const auto first = static_cast<std::size_t>(compared.first), second = static_cast<std::size_t>(compared.second);
      const bool alike = composition.looks[first] == composition.looks[second];
      if (composition.difference_shown)
        place(difference_, panes[first], panes[second], alike ? composition.looks[first] : PictureLook(), composition,
              composition.area, composition.area, whole);
    } else {
      for (int i = 0; i < count; ++i) {
        const bool alone = composition.view == View::difference;  // nothing to compare with
        const Rectangle visible = alone ? composition.area : visible_rectangle(composition, i, count);
        const PaneTexture& pane = panes[static_cast<std::size_t>(i)];
        place(picture_, pane, pane, composition.looks[static_cast<std::size_t>(i)], composition,
              pane_rectangle(composition, i, count), visible,
              composition.view == View::split ? slice_of(composition, i, count) : whole);
      }
    }
    reduce(composition);
    show(composition);
    if (composition.view == View::split) draw_dividers(composition, count);
    if (composition.view == View::grid && count > 1 && composition.frames_active) draw_frame(composition, count);
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

  PixelBox pixels(const Rectangle& rectangle) const {
    const Rectangle inside = intersection(rectangle, framebuffer_);
    const auto left = static_cast<GLint>(std::lround(inside.x));
    const auto right = static_cast<GLint>(std::lround(inside.x + inside.width));
    const auto bottom = static_cast<GLint>(std::lround(framebuffer_.height - inside.y - inside.height));
    const auto top = static_cast<GLint>(std::lround(framebuffer_.height - inside.y));
    return {left, bottom, right, top};
  }

  static void scissor(const PixelBox& box) {
    glScissor(box.left, box.bottom, box.right - box.left, box.top - box.bottom);
  }

  void fill(const Rectangle& rectangle, const Colour& colour) const {
    const float value[4] = {colour[0], colour[1], colour[2], 1.0f};
    const PixelBox box = pixels(rectangle);
    if (!box) return;
    scissor(box);
    glClearBufferfv(GL_COLOR, 0, value);
  }

  void place(const PicturePrograms& programs, const PaneTexture& image, const PaneTexture& other,
             const PictureLook& look, const Composition& composition, const Rectangle& pane, const Rectangle& visible,
             std::array<float, 4> slice) {
    const Rectangle at = picture_rectangle(pane, composition, image.width, image.height);
    const Rectangle shown{at.x + look.part.x * at.width, at.y + look.part.y * at.height, look.part.width * at.width,
                          look.part.height * at.height};
    PixelBox part = pixels(intersection(intersection(shown, pane), intersection(visible, composition.area)));
    if (slice[1] == 0) cut_to_slice(part.left, part.right, slice[0], slice[2], slice[3]);
    if (slice[0] == 0) cut_to_slice(part.bottom, part.top, slice[1], slice[2], slice[3]);
    if (!part) return;
    const bool slanted = slice[0] != 0 && slice[1] != 0;
    if (!slanted) slice = whole;
    const float across = at.width / static_cast<float>(image.width);  // screen pixels per source pixel
    const float down = at.height / static_cast<float>(image.height);
    const float smallest = std::min(across, down);
    const bool exact = smallest >= nearest_from || (across == 1.0f && down == 1.0f);
    const bool by_compute = smallest < 1 && programs.fetches(across) * programs.fetches(down) > direct_fetches;
    const bool grid = look.pixels && smallest > grid_from;
    const PictureProgram& program = by_compute                        ? programs.reduce
                                    : smallest < 1 || slanted || grid ? programs.show
                                                                      : programs.magnified;
    (by_compute ? reduced_ : shown_).push_back({&program, image, other, at, part, slice, smallest, exact, grid});
  }

  void use(const Placed& placed, const Composition& composition) const {
    const PictureProgram& to = *placed.program;
    const GLuint sampler = placed.exact ? nearest_.get() : linear_.get();
    const GLuint textures[2] = {placed.image.name, placed.other.name}, samplers[2] = {sampler, sampler};
    glBindTextures(0, 2, textures);
    glBindSamplers(0, 2, samplers);
    glUseProgram(to.program.get());
    const Rectangle& at = placed.picture;
    glUniform4f(to.picture, at.x, framebuffer_.height - at.y - at.height, at.width, at.height);
    glUniform2f(to.source_size, static_cast<float>(placed.image.width), static_cast<float>(placed.image.height));
    glUniform4fv(to.slice, 1, placed.slice.data());
    glUniform1i(to.has_alpha, composition.has_alpha);
    if (to.gain < 0) return;
    const DifferenceSettings& difference = composition.difference;
    glUniform1i(to.mode, static_cast<GLint>(difference.mode));
    glUniform1f(to.gain, static_cast<float>(difference.gain));
    // A hair above, for code values that are not quite exact as floats.
    glUniform1f(to.threshold, (static_cast<float>(difference.threshold) + 1e-3f) / 255);
    glUniform1i(to.false_colour, difference.false_colour);
    glUniform3fv(to.stops, 5, false_colours(difference.mode)[0].data());
  }

  // All of them before the one barrier; their parts don't overlap.
  void reduce(const Composition& composition) {
    if (reduced_.empty()) return;
    cover_framebuffer();
    glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);  // the last frame's copies have read it
    glBindImageTexture(0, reduction_.get(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    for (const Placed& placed : reduced_) {
      const PixelBox& part = placed.part;
      use(placed, composition);
      glUniform4i(placed.program->part, part.left, part.bottom, part.right, part.top);
      glDispatchCompute(static_cast<GLuint>((part.right - part.left + group_width - 1) / group_width),
                        static_cast<GLuint>((part.top - part.bottom + group_height - 1) / group_height), 1);
    }
    glBindImageTexture(0, 0, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
  }

  void show(const Composition& composition) const {
    for (const Placed& placed : shown_) {
      use(placed, composition);
      scissor(placed.part);
      glUniform1f(placed.program->grid, placed.grid ? grid_strength : 0.0f);
      glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    if (reduced_.empty()) return;
    glBindTextureUnit(0, reduction_.get());
    glBindSampler(0, nearest_.get());
    glUseProgram(copy_.get());
    for (const Placed& placed : reduced_) {
      glUniform4fv(copy_slice_, 1, placed.slice.data());
      scissor(placed.part);
      glDrawArrays(GL_TRIANGLES, 0, 3);
    }
  }

  void cover_framebuffer() {
    const auto width = static_cast<GLsizei>(framebuffer_.width), height = static_cast<GLsizei>(framebuffer_.height);
    if (reduction_ && reduction_width_ == width && reduction_height_ == height) return;
    reduction_ = gl::make_texture();
    glTextureStorage2D(reduction_.get(), 1, GL_RGBA8, width, height);
    reduction_width_ = width;
    reduction_height_ = height;
  }

  static float line_width(float width, const Composition& composition) {
    return std::max(std::round(width * composition.line_scale), 1.0f);
  }

  void draw_dividers(const Composition& composition, int count) const {
    const float width = line_width(divider_width, composition), edge = line_width(divider_edge_width, composition);
    const bool odd = static_cast<int>(width) % 2 == 1;
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(divider_.get());
    glUniform2f(divider_at_.half_widths, width / 2, width / 2 + edge);
    glUniform3fv(divider_at_.colour, 1, divider_colour.data());
    glUniform3fv(divider_at_.edge, 1, divider_edge.data());
    for (int i = 1; i < count; ++i) {
      const Slice slice = pane_slice(composition, i, count);
      const bool sharp = slice.upright_or_level();
      const std::array<float, 4> strip = from_bottom(slice);
      // Only round the line where that is a rectangle: a software renderer has every pixel to look at.
      const float reach = width / 2 + edge + 2, at = slice.low * (slice.x + slice.y);
      const Rectangle& area = composition.area;
      Rectangle round = area;
      if (slice.y == 0) round = {at - reach, area.y, 2 * reach, area.height};
      if (slice.x == 0) round = {area.x, at - reach, area.width, 2 * reach};
      const PixelBox box = pixels(intersection(round, area));
      if (!box) continue;
      scissor(box);
      glUniform1f(divider_at_.softness, sharp ? 1e-3f : 1.0f);
      glUniform3f(divider_at_.line, strip[0], strip[1], strip[2] + (sharp && odd ? 0.5f : 0.0f));
      glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glDisable(GL_BLEND);
  }

  // OpenGL counts rows from the bottom.
  std::array<float, 4> from_bottom(const Slice& slice) const {
    const float shift = slice.y * framebuffer_.height;
    return {slice.x, -slice.y, slice.low - shift, slice.high - shift};
  }
  std::array<float, 4> slice_of(const Composition& composition, int i, int count) const {
    return from_bottom(pane_slice(composition, i, count));
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
  PicturePrograms picture_{"picture_colour.glsl", 2}, difference_{"difference_colour.glsl", 1};
  gl::Program copy_ = gl::link_program({"fullscreen.vert"}, {"slice.glsl", "copy.frag"});
  gl::Program divider_ = gl::link_program({"fullscreen.vert"}, {"divider.frag"});
  struct DividerUniforms {
    explicit DividerUniforms(GLuint program)
        : half_widths(glGetUniformLocation(program, "half_widths")),
          colour(glGetUniformLocation(program, "colour")),
          edge(glGetUniformLocation(program, "edge")),
          softness(glGetUniformLocation(program, "softness")),
          line(glGetUniformLocation(program, "line")) {}
    GLint half_widths, colour, edge, softness, line;
  } divider_at_{divider_.get()};
  GLint copy_slice_ = glGetUniformLocation(copy_.get(), "slice");
  gl::Texture reduction_;  // of the framebuffer's size, made when it is first needed
  GLsizei reduction_width_ = 0, reduction_height_ = 0;
  std::vector<Placed> shown_, reduced_;  // in this frame; kept for their memory
  std::unique_ptr<GlTimer> timer_ = GlTimer::make();
  Rectangle framebuffer_;
};

}  // namespace

std::unique_ptr<Compositor> Compositor::make() { return std::make_unique<GlCompositor>(); }

}  // namespace convoscope
