#pragma once
// Numbers as people write them, read and written the same in every locale. Part of the filter code.
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

// "3", "-0.5", "+1e-3", "1/16". Throws Error naming the text and `what` it was meant for; NaN and infinity are errors.
double parse_number(std::string_view text, std::string_view what);

// The same for what is kept as a float32: an error where that cannot hold it.
float parse_float(std::string_view text, std::string_view what);
inline constexpr const char* beyond_float = "larger than float32 can hold; the largest is 3.4e38";
// `whose` begins the sentence of the Error. An infinite one may have been read from a larger number.
void validate_finite(float value, const std::string& whose);

std::string number_text(double value);                // shortest text that reads back as the same double
std::string number_text(float value);                 // the same for a float
std::string rounded_text(double value, int figures);  // at most so many significant ones

// With commas between its thousands, "12,345", as people read it; nothing that may be typed again. Of a text the digits
// that come first.
std::string format_count(long long count);
std::string with_commas(std::string number);

// "1 map", "3 maps"; the plural has an s more unless it is given.
std::string counted(long long count, std::string_view noun, std::string_view plural = {});

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);

// `text` cut to a length that fits in a sentence, in quotes, without control characters.
std::string in_quotes(std::string_view text);

}  // namespace convoscope
