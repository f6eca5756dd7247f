#pragma once
// Pieces of HTML as text: what is said is escaped, and every piece can stand in any other. All of it is UTF-8. Any
// thread; nothing is kept. Bad shapes of tables are bugs and throw std::logic_error.
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

// For between tags and for an attribute in quotes: & < > " ' are named; control characters and what is no UTF-8 become
// question marks, and breaks of lines stay.
std::string html_text(std::string_view text);

// "<p class="note">…</p>"; `inside` is HTML already. Without a class where that is empty.
std::string html_element(std::string_view tag, std::string_view inside, std::string_view css_class = {});

// What a click opens, printed as it stands: <details> with its <summary>. `inside` is HTML, the summary text.
std::string html_details(std::string_view summary, std::string_view inside);

// A picture's bytes (PNG) within the page; `alt` is text, said where it cannot be seen.
std::string html_png(std::string_view png, std::string_view alt);
// A picture with a line of text below it; `picture` is HTML: html_png or an Svg's.
std::string html_figure(std::string_view picture, std::string_view caption);

std::string base64(std::string_view bytes);

// A table whose cells are text. `alignment`: 'l' or 'r' for each column, 'r' with figures of one width. It scrolls by
// itself where the page is narrower.
class HtmlTable {
 public:
  HtmlTable(std::vector<std::string> header, std::string_view alignment);
  void add(const std::vector<std::string>& row);  // as many cells as the header has
  std::string html(std::string_view caption = {}) const;

 private:
  std::string row_html(const std::vector<std::string>& row, std::string_view tag) const;

  std::vector<std::string> header_;
  std::string alignment_, rows_;
};

}  // namespace convoscope
