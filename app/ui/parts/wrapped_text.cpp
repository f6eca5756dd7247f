#include "app/ui/parts/wrapped_text.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace convoscope::ui {
namespace {

// Not rounded up as ImGui::CalcTextSize() does it: word by word that would add up, and break a line that has room.
float width_of(std::string_view text) {
  return ImGui::GetFont()
      ->CalcTextSizeA(ImGui::GetFontSize(), std::numeric_limits<float>::max(), -1, text.data(),
                      text.data() + text.size())
      .x;
}

// ImGui takes whole pixels for a line; sums of floats are off by less than the slack.
float usable(float width) {
  constexpr float slack = 1e-3f;
  return std::floor(width + slack) + slack;
}

std::size_t next_character(std::string_view text, std::size_t from) {
  ++from;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
  return from;
}

// A word, over several lines where it does not fit on one, a path's between its folders; returns where the last of them
// ends.
float append_broken(std::string& out, std::string_view word, float width) {
  float x = 0;
  std::size_t line = 0;  // where the last of them begins, in the word
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t next = next_character(word, at);
    const float each = width_of(word.substr(at, next - at));
    if (x > 0 && x + each > width) {
      const std::size_t slash = word.substr(0, at).rfind('/');
      const bool between = slash != std::string_view::npos && slash > line && slash + 1 < at;
      line = between ? slash + 1 : at;
      out.insert(out.size() - (at - line), 1, '\n');
      x = width_of(word.substr(line, at - line));
    }
    out += word.substr(at, next - at);
    x += each;
    at = next;
  }
  return x;
}

// A number is not parted from its %.
std::size_t end_of_word(std::string_view text, std::size_t start) {
  const std::size_t end = std::min(text.find_first_of(" \n", start), text.size());
  const bool is_number = end > start && text[end - 1] >= '0' && text[end - 1] <= '9';
  if (!is_number || !text.substr(end).starts_with(" %")) return end;
  return std::min(text.find_first_of(" \n", end + 1), text.size());
}

}  // namespace

std::string wrapped(std::string_view text, float width) {
  std::string out;
  out.reserve(text.size() + 16);
  const float space = width_of(" ");
  width = usable(width);
  float x = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      out += '\n';
      x = 0;
      ++at;
      continue;
    }
    const std::size_t start = std::min(text.find_first_not_of(' ', at), text.size());
    const std::size_t end = end_of_word(text, start);
    const std::string_view word = text.substr(start, end - start);
    const std::size_t spaces = start - at;
    const float gap = static_cast<float>(spaces) * space, extent = width_of(word);
    at = end;
    if (x > 0 && x + gap + extent > width) {
      out += '\n';
      x = 0;
    } else {
      out.append(spaces, ' ');
      x += gap;
    }
    if (extent > width) {
      x = append_broken(out, word, width);
    } else {
      out += word;
      x += extent;
    }
  }
  return out;
}

std::string wrapped(Font face, std::string_view text, float width) {
  push_font(face);
  std::string lines = wrapped(text, width);
  pop_font();
  return lines;
}

int count_lines(std::string_view text) { return 1 + static_cast<int>(std::ranges::count(text, '\n')); }

std::string first_lines(std::string_view text, int lines, float width) {
  std::size_t end = 0;
  for (int line = 0; line < lines; ++line) {
    end = text.find('\n', end);
    if (end == std::string_view::npos) return std::string(text);
    ++end;
  }
  const std::string_view above = text.substr(0, end - 1);
  const std::size_t start = above.rfind('\n') + 1;  // of the last line; npos + 1 is 0
  std::string line(above.substr(start));
  while (!line.empty() && width_of(line + "…") > usable(width)) {
    std::size_t last = line.rfind(' ');
    if (last == std::string::npos)
      for (last = line.size() - 1; last > 0 && (static_cast<unsigned char>(line[last]) & 0xc0) == 0x80;) --last;
    line.resize(last);
  }
  return std::string(above.substr(0, start)) + line + "…";
}

std::string first_lines(Font face, std::string_view text, int lines, float width) {
  push_font(face);
  std::string first = first_lines(text, lines, width);
  pop_font();
  return first;
}

}  // namespace convoscope::ui
