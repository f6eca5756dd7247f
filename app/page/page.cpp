#include "app/page/page.h"

#include <cstddef>

#include "app/page/html.h"
#include "app/page/page_style.h"

namespace convoscope {
namespace {

// Even were something in the page to ask, the reader would send nothing.
constexpr std::string_view policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

std::string_view common_style() {
  const PageStyle& style = page_style();
  return {reinterpret_cast<const char*>(style.data), static_cast<std::size_t>(style.size)};
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body, std::string_view below, std::string_view style) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + std::string(policy) + "\">\n";
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n";
  out += html_element("title", html_text(title));
  out += "<style>\n" + std::string(common_style()) + std::string(style) + "</style>\n</head>\n<body>\n";
  out += html_element("h1", html_text(title)) + std::string(body);
  if (!below.empty()) out += html_element("footer", html_text(below));
  return out + "</body>\n</html>\n";
}

}  // namespace convoscope
