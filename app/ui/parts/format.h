#pragma once
// Numbers as people read them. A number that is not finite, or not known (a time of 0), shows as "–".
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/text/number_text.h"

namespace convoscope::ui {

std::string format_ms(double milliseconds);            // "0.0412", "1.23", "104": three figures and no unit
bool in_seconds(double milliseconds);                  // so long that it is told in seconds
std::string format_milliseconds(double milliseconds);  // with its unit: "1.23 ms", "21.1 s"
std::string format_interval(double low,
                            double high);  // "0.0410 … 0.0415", "up to 0.0415", without a unit; "21.0 … 21.4 s"
std::string format_clock(double seconds);  // "00:01.234", "1:02:03.456"
std::string format_si(double value, const char* unit);  // "412 GB/s"
std::string format_number(double value, int figures = 3);
std::string with_minus(std::string text);  // "-3" with the sign that stands for it, "−3"; hyphens of words stay
std::string with_point(std::string text);  // "1,5", "1.000,5" and "1,000.5" as C++ reads them
std::string with_power(std::string text);  // "2.1e-05" as "2.1 × 10⁻⁵"
std::string format_weight(double value, int figures);  // short enough for a cell: "0.25", "−1", "3e−5"
std::string shortest_weight(double value);             // of one figure: "3e−4", "0.2", "1e4"
std::string format_offset(int x, int y);               // "(+1, −2)", "(0, 0)"
std::string format_bytes(double bytes);                // "48.0 kB", 1000 to the kilobyte
std::string format_binary_bytes(double bytes);         // "48.0 KiB": of memory that comes in powers of two
using convoscope::format_count;                        // "12,345"
std::string lower_case(std::string_view ascii);
std::string capitalised(std::string text);  // its first letter

}  // namespace convoscope::ui
