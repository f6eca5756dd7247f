#pragma once
// A page of HTML in one file: it asks for nothing outside itself and runs no script, and its own header forbids both.
// It reads at the width of a telephone and of a desktop, in light and dark, and prints on paper.
#include <string>
#include <string_view>

namespace convoscope {

// `title` is text; `body` is HTML of the pieces in html.h, without a title: that is put above it. `below` is text, a
// line at the end: who made it, where and when. `style` is CSS of the page's own, behind the common one.
std::string html_page(std::string_view title, std::string_view body, std::string_view below = {},
                      std::string_view style = {});

}  // namespace convoscope
