#pragma once
// What the JSON files of filters and of banks have in common. Part of filter_file.cpp and bank_file.cpp.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope::json_parts {

using nlohmann::json;

// `what` is the file in words, "filter file". These throw Error naming it and the path.
std::string read_file(const std::string& path, const std::string& what, std::uintmax_t most_bytes);
json parse(const std::string& text, const std::string& path, const std::string& what);
json parse(const std::string& text, const std::string& whose);  // "its header", for a sentence that names the file

// These name the key; whoever reads a whole file puts the path in front.
void only_keys(const json& object, std::initializer_list<std::string_view> known);
// `must_be`: "a whole number up to 9".
int whole_number(const json& object, const char* key, const std::string& must_be);
float to_float(const json& value, const std::string& what);
// A flat list, or a list of rows.
std::vector<float> read_weights(const json& object, const char* key, int width);
std::string text_or(const json& object, const char* key, const std::string& otherwise);
bool switch_or(const json& object, const char* key, bool otherwise);

// The shortest decimals that read back as the same float: 0.1 rather than 0.10000000149011612.
json to_json(float value);
json to_json(const std::vector<float>& values);

void write(const std::string& path, const json& object);

}  // namespace convoscope::json_parts
