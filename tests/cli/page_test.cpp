// Pages in one file: what is text stays text, and nothing in them asks for anything outside.
#include "app/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <regex>
#include <stdexcept>
#include <string>

#include "app/page/html.h"
#include "app/page/svg.h"

namespace convoscope::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Page, TextStaysText) {
  EXPECT_EQ(html_text("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(html_text("3 × 3\nnext"), "3 × 3\nnext");
  EXPECT_EQ(html_text(std::string("\x1b[2J\xff")), "?[2J?") << "nothing that a terminal obeys, and valid UTF-8";
  EXPECT_EQ(html_element("p", html_text("1 < 2"), "no\"te"), "<p class=\"no&quot;te\">1 &lt; 2</p>\n");
}

TEST(Page, BytesBecomeBase64) {  // RFC 4648, section 10
  const std::array<std::array<const char*, 2>, 7> known{{{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}}};
  for (const auto& [bytes, text] : known) EXPECT_EQ(base64(bytes), text);
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Page, TableHasItsCellsAsTextAndFiguresToTheRight) {
  HtmlTable table({"Way", "ms"}, "lr");
  table.add({"<b>tiled</b>", "1.25"});
  const std::string html = table.html("Times & ways");
  EXPECT_THAT(html, HasSubstr("<caption>Times &amp; ways</caption>"));
  EXPECT_THAT(html, HasSubstr("<th>Way</th><th class=\"number\">ms</th>"));
  EXPECT_THAT(html, HasSubstr("<td>&lt;b&gt;tiled&lt;/b&gt;</td><td class=\"number\">1.25</td>"));
  EXPECT_THROW(table.add({"too few"}), std::logic_error);
}

TEST(Page, DrawingSaysItsShapesAndNoNumberThatIsNone) {
  Svg drawing(200, 100);
  const std::array<SvgPoint, 2> points{{{0, 1.5}, {10, std::numeric_limits<double>::quiet_NaN()}}};
  drawing.path(points, "var(--accent)");
  drawing.rectangle({1, 2}, 3, 4, "#eee");
  drawing.dot({5, 6}, 2, "red");
  drawing.line({0, 0}, {200, 0}, "\"><script>");
  drawing.text({100, 50}, "a < b", Svg::Anchor::middle);
  const std::string html = drawing.html("times over radius");
  EXPECT_THAT(html, HasSubstr("viewBox=\"0 0 200 100\""));
  EXPECT_THAT(html, HasSubstr("aria-label=\"times over radius\""));
  EXPECT_THAT(html, HasSubstr("points=\"0,1.5 10,0\""));
  EXPECT_THAT(html, HasSubstr("text-anchor=\"middle\""));
  EXPECT_THAT(html, HasSubstr(">a &lt; b</text>"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

// What would fetch something has an address; those of data are within the page, and its policy forbids all others.
TEST(Page, IsOneFileThatAsksForNothing) {
  const std::string page = html_page(
      "Loads & tiles",
      html_figure(html_png("\x89PNG", "a tile"), "A tile") + html_details("Hint", html_element("p", "Count.")),
      "Made here");
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, EndsWith("</html>\n"));
  EXPECT_THAT(page, HasSubstr("<title>Loads &amp; tiles</title>"));
  EXPECT_THAT(page, HasSubstr("<h1>Loads &amp; tiles</h1>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("<img alt=\"a tile\" src=\"data:image/png;base64,iVBORw==\">"));
  EXPECT_THAT(page, HasSubstr("<summary>Hint</summary>"));
  EXPECT_THAT(page, HasSubstr("<footer>Made here</footer>"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  const std::regex address("(src|href)=\"(?!data:)|url\\(|@import");
  EXPECT_FALSE(std::regex_search(page, address));
}

}  // namespace
}  // namespace convoscope::test
