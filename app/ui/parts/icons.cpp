#include "app/ui/parts/icons.h"

#include <cmath>
#include <initializer_list>
#include <utility>

namespace convoscope::ui {
namespace {

constexpr float pi = 3.14159265f;

// A pen on a grid of −1…1, y down.
class Pen {
 public:
  Pen(ImDrawList& list, ImVec2 centre, float size, ImU32 colour)
      : list_(list), centre_(centre), unit_(size / 2), width_(std::fmax(1.0f, size / 11)), colour_(colour) {}

  void line(float x0, float y0, float x1, float y1) const { list_.AddLine(at(x0, y0), at(x1, y1), colour_, width_); }
  void box(float x0, float y0, float x1, float y1, float rounding = 0.15f) const { outline(x0, y0, x1, y1, rounding); }
  void fill(float x0, float y0, float x1, float y1, float rounding = 0.1f) const {
    list_.AddRectFilled(at(x0, y0), at(x1, y1), colour_, rounding * unit_);
  }
  void triangle(float x0, float y0, float x1, float y1, float x2, float y2) const {
    list_.AddTriangleFilled(at(x0, y0), at(x1, y1), at(x2, y2), colour_);
  }
  void disc(float x, float y, float radius) const { list_.AddCircleFilled(at(x, y), radius * unit_, colour_, 24); }
  void circle(float x, float y, float radius) const { list_.AddCircle(at(x, y), radius * unit_, colour_, 28, width_); }
  void arc(float x, float y, float radius, float from, float to) const {
    list_.PathArcTo(at(x, y), radius * unit_, from * pi, to * pi, 20);
    list_.PathStroke(colour_, 0, width_);
  }
  // The head of an arrow whose tip is at (x, y), pointing along angle·π.
  void head(float x, float y, float angle, float size = 0.42f) const {
    const float a = angle * pi;
    const auto corner = [&](float turn) { return at(x - size * std::cos(a + turn), y - size * std::sin(a + turn)); };
    list_.AddTriangleFilled(at(x, y), corner(0.62f), corner(-0.62f), colour_);
  }
  void polyline(std::initializer_list<ImVec2> points) const {
    for (const ImVec2& p : points) list_.PathLineTo(at(p.x, p.y));
    list_.PathStroke(colour_, 0, width_);
  }

 private:
  ImVec2 at(float x, float y) const { return {centre_.x + x * unit_, centre_.y + y * unit_}; }
  void outline(float x0, float y0, float x1, float y1, float rounding) const {
    list_.PathRect(at(x0, y0), at(x1, y1), rounding * unit_);
    list_.PathStroke(colour_, ImDrawFlags_Closed, width_);
  }

  ImDrawList& list_;
  ImVec2 centre_;
  float unit_, width_;
  ImU32 colour_;
};

void draw_edit_icon(const Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::undo:
      pen.arc(0.05f, 0.15f, 0.6f, -0.95f, 0.5f);
      pen.head(-0.72f, 0.38f, 0.62f, 0.5f);
      break;
    case Icon::redo:
      pen.arc(-0.05f, 0.15f, 0.6f, -1.5f, -0.05f);
      pen.head(0.72f, 0.38f, 0.38f, 0.5f);
      break;
    case Icon::copy:
      pen.box(-0.75f, -0.75f, 0.3f, 0.3f);
      pen.polyline({{0.55f, -0.3f}, {0.75f, -0.3f}, {0.75f, 0.75f}, {-0.3f, 0.75f}, {-0.3f, 0.55f}});
      break;
    case Icon::paste:
      pen.box(-0.65f, -0.65f, 0.65f, 0.85f);
      pen.fill(-0.32f, -0.9f, 0.32f, -0.45f);
      pen.line(-0.3f, 0.0f, 0.3f, 0.0f);
      pen.line(-0.3f, 0.38f, 0.3f, 0.38f);
      break;
    case Icon::normalise:  // Σ
      pen.polyline({{0.55f, -0.5f},
                    {0.55f, -0.8f},
                    {-0.55f, -0.8f},
                    {0.1f, 0.0f},
                    {-0.55f, 0.8f},
                    {0.55f, 0.8f},
                    {0.55f, 0.5f}});
      break;
    case Icon::transpose:
      pen.line(-0.8f, -0.8f, 0.8f, 0.8f);
      pen.arc(-0.1f, 0.1f, 0.72f, -0.45f, -0.08f);
      pen.head(0.62f, 0.12f, 0.4f, 0.42f);
      pen.fill(-0.85f, 0.35f, -0.35f, 0.85f);
      break;
    case Icon::flip_horizontal:
      pen.line(0, -0.9f, 0, 0.9f);
      pen.triangle(-0.25f, -0.6f, -0.25f, 0.6f, -0.95f, 0.6f);
      pen.polyline({{0.28f, -0.55f}, {0.28f, 0.58f}, {0.9f, 0.58f}, {0.28f, -0.55f}});
      break;
    case Icon::flip_vertical:
      pen.line(-0.9f, 0, 0.9f, 0);
      pen.triangle(-0.6f, -0.25f, 0.6f, -0.25f, 0.6f, -0.95f);
      pen.polyline({{-0.55f, 0.28f}, {0.58f, 0.28f}, {0.58f, 0.9f}, {-0.55f, 0.28f}});
      break;
    case Icon::rotate:
      pen.arc(0, 0.05f, 0.68f, -0.95f, 0.45f);
      pen.head(-0.15f, 0.78f, 0.98f, 0.48f);
      break;
    default:
      break;
  }
}

void draw_transport_icon(const Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::play:
      pen.triangle(-0.55f, -0.8f, 0.8f, 0, -0.55f, 0.8f);
      break;
    case Icon::pause:
      pen.fill(-0.65f, -0.75f, -0.2f, 0.75f);
      pen.fill(0.2f, -0.75f, 0.65f, 0.75f);
      break;
    case Icon::step_back:
      pen.fill(-0.7f, -0.65f, -0.42f, 0.65f, 0.05f);
      pen.triangle(0.65f, -0.65f, 0.65f, 0.65f, -0.35f, 0);
      break;
    case Icon::step_forward:
      pen.fill(0.42f, -0.65f, 0.7f, 0.65f, 0.05f);
      pen.triangle(-0.65f, -0.65f, 0.35f, 0, -0.65f, 0.65f);
      break;
    case Icon::loop:
      pen.polyline({{-0.85f, 0.0f}, {-0.85f, -0.45f}, {0.5f, -0.45f}});
      pen.head(0.8f, -0.45f, 0.0f, 0.5f);
      pen.polyline({{0.85f, 0.0f}, {0.85f, 0.45f}, {-0.5f, 0.45f}});
      pen.head(-0.8f, 0.45f, 1.0f, 0.5f);
      break;
    case Icon::record:
      pen.disc(0, 0, 0.62f);
      break;
    case Icon::stop:
      pen.fill(-0.6f, -0.6f, 0.6f, 0.6f);
      break;
    case Icon::sound:
    case Icon::sound_off:
      pen.fill(-0.9f, -0.3f, -0.5f, 0.3f, 0.05f);
      pen.triangle(-0.75f, 0, -0.05f, -0.7f, -0.05f, 0.7f);
      if (icon == Icon::sound_off) {
        pen.line(0.3f, -0.35f, 0.9f, 0.35f);
        pen.line(0.3f, 0.35f, 0.9f, -0.35f);
      } else {
        pen.arc(-0.1f, 0, 0.5f, -0.28f, 0.28f);
        pen.arc(-0.1f, 0, 0.9f, -0.28f, 0.28f);
      }
      break;
    default:
      break;
  }
}

}  // namespace

void draw_icon(ImDrawList& list, Icon icon, ImVec2 centre, float size, ImU32 colour) {
  const Pen pen(list, centre, size, colour);
  switch (icon) {
    case Icon::camera:
      pen.box(-0.9f, -0.5f, 0.9f, 0.7f, 0.2f);
      pen.circle(0, 0.1f, 0.35f);
      pen.fill(-0.35f, -0.8f, 0.35f, -0.45f);
      break;
    case Icon::full_screen:
      pen.polyline({{-0.8f, -0.3f}, {-0.8f, -0.8f}, {-0.3f, -0.8f}});
      pen.polyline({{0.3f, -0.8f}, {0.8f, -0.8f}, {0.8f, -0.3f}});
      pen.polyline({{0.8f, 0.3f}, {0.8f, 0.8f}, {0.3f, 0.8f}});
      pen.polyline({{-0.3f, 0.8f}, {-0.8f, 0.8f}, {-0.8f, 0.3f}});
      break;
    case Icon::panels:
      pen.box(-0.9f, -0.75f, 0.9f, 0.75f);
      pen.fill(0.2f, -0.6f, 0.76f, 0.6f, 0.05f);
      break;
    case Icon::overlay:
      pen.box(-0.9f, -0.75f, 0.9f, 0.75f);
      pen.fill(-0.7f, -0.55f, -0.02f, 0.0f, 0.05f);
      break;
    case Icon::help:
      pen.circle(0, 0, 0.88f);
      pen.arc(0, -0.18f, 0.3f, -1.0f, 0.4f);
      pen.line(0.04f, 0.12f, 0, 0.3f);
      pen.disc(0, 0.52f, 0.1f);
      break;
    case Icon::plus:
      pen.line(-0.65f, 0, 0.65f, 0);
      pen.line(0, -0.65f, 0, 0.65f);
      break;
    case Icon::minus:
      pen.line(-0.65f, 0, 0.65f, 0);
      break;
    case Icon::more:
      for (const float x : {-0.6f, 0.0f, 0.6f}) pen.disc(x, 0, 0.14f);
      break;
    case Icon::close:
      pen.line(-0.55f, -0.55f, 0.55f, 0.55f);
      pen.line(-0.55f, 0.55f, 0.55f, -0.55f);
      break;
    case Icon::folder:
      pen.polyline({{-0.9f, 0.65f},
                    {-0.9f, -0.65f},
                    {-0.25f, -0.65f},
                    {0.0f, -0.35f},
                    {0.9f, -0.35f},
                    {0.9f, 0.65f},
                    {-0.9f, 0.65f}});
      break;
    case Icon::save:
      pen.line(0, -0.85f, 0, 0.15f);
      pen.head(0, 0.4f, 0.5f, 0.55f);
      pen.polyline({{-0.8f, 0.35f}, {-0.8f, 0.8f}, {0.8f, 0.8f}, {0.8f, 0.35f}});
      break;
    case Icon::refresh:
    case Icon::reset:
      pen.arc(0, 0, 0.7f, -0.35f, 1.3f);
      pen.head(0.62f, -0.82f, -0.9f + 0.6f, 0.5f);
      break;
    case Icon::chevron_down:
      pen.polyline({{-0.5f, -0.25f}, {0.0f, 0.28f}, {0.5f, -0.25f}});
      break;
    case Icon::chevron_right:
      pen.polyline({{-0.25f, -0.5f}, {0.28f, 0.0f}, {-0.25f, 0.5f}});
      break;
    case Icon::chevron_up:
      pen.polyline({{-0.5f, 0.25f}, {0.0f, -0.28f}, {0.5f, 0.25f}});
      break;
    case Icon::information:
      pen.circle(0, 0, 0.85f);
      pen.line(0, -0.05f, 0, 0.45f);
      pen.disc(0, -0.4f, 0.12f);
      break;
    case Icon::warning:
      pen.polyline({{0.0f, -0.8f}, {0.92f, 0.75f}, {-0.92f, 0.75f}, {0.0f, -0.8f}, {0.1f, -0.63f}});
      pen.line(0, -0.25f, 0, 0.25f);
      pen.disc(0, 0.5f, 0.11f);
      break;
    case Icon::check:
      pen.polyline({{-0.65f, 0.05f}, {-0.15f, 0.55f}, {0.7f, -0.5f}});
      break;
    case Icon::theme:
      pen.circle(0, 0, 0.8f);
      list.PathArcTo(centre, size * 0.4f, -pi / 2, pi / 2, 16);
      list.PathFillConvex(colour);
      break;
    case Icon::sliders:
      for (const auto& [y, x] : {std::pair(-0.6f, 0.3f), std::pair(0.0f, -0.35f), std::pair(0.6f, 0.1f)}) {
        pen.line(-0.85f, y, 0.85f, y);
        pen.disc(x, y, 0.24f);
      }
      break;
    case Icon::link:
    case Icon::link_off:
      pen.polyline({{-0.1f, -0.4f}, {-0.85f, -0.4f}, {-0.85f, 0.4f}, {-0.1f, 0.4f}});
      pen.polyline({{0.1f, -0.4f}, {0.85f, -0.4f}, {0.85f, 0.4f}, {0.1f, 0.4f}});
      if (icon == Icon::link) pen.line(-0.45f, 0, 0.45f, 0);
      break;
    default:
      draw_transport_icon(pen, icon);
      draw_edit_icon(pen, icon);
      break;
  }
}

}  // namespace convoscope::ui
