#include "app/page/html.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "app/files/paths.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

const char* entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  bool first = true;
  for (const std::string_view line : split(text, '\n')) {
    if (!std::exchange(first, false)) out += '\n';
    for (const char c : printable(line))
      if (const char* const entity = entity_of(c))
        out += entity;
      else
        out += c;
  }
  return out;
}

std::string html_element(std::string_view tag, std::string_view inside, std::string_view css_class) {
  std::string out = "<" + std::string(tag);
  if (!css_class.empty()) out += " class=\"" + html_text(css_class) + "\"";
  return out + ">" + std::string(inside) + "</" + std::string(tag) + ">\n";
}

std::string html_details(std::string_view summary, std::string_view inside) {
  return "<details><summary>" + html_text(summary) + "</summary>\n" + std::string(inside) + "</details>\n";
}

std::string html_png(std::string_view png, std::string_view alt) {
  return "<img alt=\"" + html_text(alt) + "\" src=\"data:image/png;base64," + base64(png) + "\">\n";
}

std::string html_figure(std::string_view picture, std::string_view caption) {
  return "<figure>\n" + std::string(picture) + "<figcaption>" + html_text(caption) + "</figcaption>\n</figure>\n";
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    const std::size_t said = std::min<std::size_t>(bytes.size() - i, 3) + 1;  // digits; the rest is filled up
    for (std::size_t k = 0; k < 4; ++k) out += k < said ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

HtmlTable::HtmlTable(std::vector<std::string> header, std::string_view alignment)
    : header_(std::move(header)), alignment_(alignment) {
  if (alignment_.size() != header_.size()) throw std::logic_error("a table needs an alignment for each column");
}

std::string HtmlTable::row_html(const std::vector<std::string>& row, std::string_view tag) const {
  if (row.size() != header_.size()) throw std::logic_error("a row needs a cell for each column");
  std::string cells;
  for (std::size_t i = 0; i < row.size(); ++i)
    cells += "<" + std::string(tag) + (alignment_[i] == 'r' ? " class=\"number\"" : "") + ">" + html_text(row[i]) +
             "</" + std::string(tag) + ">";
  return "<tr>" + cells + "</tr>\n";
}

void HtmlTable::add(const std::vector<std::string>& row) { rows_ += row_html(row, "td"); }

std::string HtmlTable::html(std::string_view caption) const {
  const std::string said = caption.empty() ? "" : "<caption>" + html_text(caption) + "</caption>\n";
  return "<div class=\"wide\"><table>\n" + said + "<thead>" + row_html(header_, "th") + "</thead>\n<tbody>\n" + rows_ +
         "</tbody></table></div>\n";
}

}  // namespace convoscope
