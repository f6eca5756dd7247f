#pragma once
// The fonts found when the program was configured, as bytes of the program; third_party/embed.cmake makes the data.

namespace convoscope::ui {

struct EmbeddedFont {
  const unsigned char* data = nullptr;
  int size = 0;  // bytes; 0: none was found, use ImGui's own
};

const EmbeddedFont& embedded_font_body();
const EmbeddedFont& embedded_font_strong();
const EmbeddedFont& embedded_font_symbols();
const EmbeddedFont& embedded_font_code();  // of one width

}  // namespace convoscope::ui
