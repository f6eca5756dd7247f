#pragma once
// page.css as bytes of the program; third_party/embed.cmake makes the data.

namespace convoscope {

struct PageStyle {
  const unsigned char* data = nullptr;
  int size = 0;  // bytes
};

const PageStyle& page_style();

}  // namespace convoscope
