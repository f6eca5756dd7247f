// https://github.com/huggingface/safetensors has that format: eight bytes, the header's length, the header as JSON, the
// numbers.
#include "kernels/filter/banks/tensor_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "kernels/files/json_parts.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/filter/banks/zip_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

using namespace json_parts;
namespace fs = std::filesystem;

constexpr std::uintmax_t largest_network = std::uintmax_t{1} << 30, largest_options = 1 << 20;
// Eight layers need a thousandth of it; the rest is for what trainers write into the metadata.
constexpr std::uint64_t largest_header = 4 << 20;
constexpr const char* network_file = "network file";
constexpr const char* options_name = "network.json";

struct SafetensorType {
  std::string_view name;
  std::string_view number_type;  // none: there is no float32 of it
  std::size_t bytes;
};
// Whole numbers are counters, or weights that are worth nothing without the scale that they were divided by.
constexpr SafetensorType safetensor_types[] = {
    {"F32", "float32", 4}, {"F16", "float16", 2}, {"BF16", "bfloat16", 2}, {"F64", "float64", 8}, {"I64", "", 8},
    {"I32", "", 4},        {"I16", "", 2},        {"I8", "", 1},           {"U64", "", 8},        {"U32", "", 4},
    {"U16", "", 2},        {"U8", "", 1},         {"BOOL", "", 1},         {"F8_E4M3", "", 1},    {"F8_E5M2", "", 1}};

std::uint64_t unsigned_number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::vector<int> shape_of(const json& entry) {
  std::vector<int> shape;
  for (const json& extent : entry.at("shape")) {
    const double number = extent.get<double>();
    if (!extent.is_number_integer() || !(number >= 0 && number <= most_bank_weights))
      throw Error("has the extent " + extent.dump());
    shape.push_back(static_cast<int>(number));
  }
  return shape;
}

NamedTensor safetensor(const json& entry, std::string_view data) {
  NamedTensor tensor{.type = entry.at("dtype").get<std::string>()};
  NumberArray& array = tensor.array;
  array.shape = shape_of(entry);
  const json& offsets = entry.at("data_offsets");
  if (offsets.size() != 2 || !offsets.at(0).is_number_unsigned() || !offsets.at(1).is_number_unsigned())
    throw Error("lies in the bytes " + offsets.dump() + "; its first and the one behind its last are needed");
  const auto from = offsets.at(0).get<std::uint64_t>(), to = offsets.at(1).get<std::uint64_t>();
  if (from > to || to > data.size())
    throw Error("lies in the bytes " + with_commas(std::to_string(from)) + " to " + with_commas(std::to_string(to)) +
                "; the file has " + format_count(std::ssize(data)));
  array.bytes = data.substr(from, to - from);
  const auto known = std::ranges::find(safetensor_types, tensor.type, &SafetensorType::name);
  if (known == std::end(safetensor_types)) return tensor;  // what a later version of the format has
  array.type = find_number_type(known->number_type);
  if (const double needed = static_cast<double>(known->bytes) * count_of(array.shape);
      needed != static_cast<double>(array.bytes.size()))
    throw Error("has " + format_count(std::ssize(array.bytes)) + " bytes, but its shape " + extents_text(array.shape) +
                " needs " + with_commas(number_text(needed)));
  return tensor;
}

template <class Read>
NamedTensor read_part(const std::string& name, const Read& bytes) {
  try {
    NamedTensor tensor{.owner = std::make_shared<const std::string>(bytes())};
    tensor.array = parse_npy(*tensor.owner);
    return tensor;
  } catch (const Error& failure) {
    throw Error("in the file " + in_quotes(name) + ", " + failure.what());
  }
}

}  // namespace

bool ByName::operator()(const std::string& first, const std::string& second) const {
  const auto is_digit = [](std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0]));
  };
  std::string_view a = first, b = second;
  while (!a.empty() && !b.empty()) {
    if (!is_digit(a) || !is_digit(b)) {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
      continue;
    }
    const auto take_number = [&](std::string_view& from) {
      std::string_view number = from.substr(0, std::min(from.find_first_not_of("0123456789"), from.size()));
      from.remove_prefix(number.size());
      number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
      return number;
    };
    const std::string_view one = take_number(a), other = take_number(b);
    if (one.size() != other.size()) return one.size() < other.size();
    if (one != other) return one < other;
  }
  return a.size() != b.size() ? a.size() < b.size() : first < second;
}

TensorFile parse_safetensors(std::string_view bytes) {
  const std::uint64_t length = bytes.size() < 8 ? 0 : unsigned_number(bytes.substr(0, 8));
  if (length == 0 || length > bytes.size() - 8) throw Error("it does not begin as a .safetensors file does");
  if (length > largest_header)
    throw Error("its header has " + format_count(static_cast<long long>(length)) + " bytes; the most is " +
                format_count(static_cast<long long>(largest_header)));
  const json header = parse(std::string(bytes.substr(8, length)), "its header");
  if (!header.is_object()) throw Error("its header is no JSON object");
  TensorFile file;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (entry.is_object() && entry.contains("convoscope"))
        file.options = parse(text_or(entry, "convoscope", ""), "the text 'convoscope' in its metadata");
      continue;
    }
    try {
      file.tensors[name] = safetensor(entry, bytes.substr(8 + length));
    } catch (const Error& failure) {
      throw Error("the tensor " + in_quotes(name) + " " + failure.what());
    } catch (const json::exception&) {
      throw Error("the tensor " + in_quotes(name) + " has no type, shape and place as a .safetensors file says them");
    }
  }
  return file;
}

TensorFile read_safetensors(const std::string& path) {
  const auto owner = std::make_shared<const std::string>(read_file(path, network_file, largest_network));
  TensorFile file = parse_safetensors(*owner);
  for (auto& [name, tensor] : file.tensors) tensor.owner = owner;
  return file;
}

TensorFile read_npz(const std::string& path) {
  const std::string bytes = read_file(path, network_file, largest_network);
  TensorFile file;
  for (const ZipMember& member : zip_members(bytes, largest_network))
    if (const fs::path name = member.name; name.extension() == ".npy")
      file.tensors[name.parent_path() / name.stem()] = read_part(member.name, [&] { return unpack(member); });
  return file;
}

TensorFile read_npy_folder(const std::string& path) {
  TensorFile read;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, failed)) {
    const fs::path& file = entry.path();
    if (file.filename() == options_name)
      read.options = parse(read_file(file.string(), network_file, largest_options), std::string("its ") + options_name);
    if (file.extension() != ".npy") continue;
    read.tensors[file.stem().string()] =
        read_part(file.filename().string(), [&] { return read_file(file.string(), network_file, largest_network); });
  }
  if (failed) throw Error("the folder cannot be read");
  return read;
}

void check_shares_nothing(const TensorFile& file) {
  std::vector<std::pair<std::string_view, const std::string*>> parts;
  for (const auto& [name, tensor] : file.tensors)
    if (!tensor.array.bytes.empty()) parts.emplace_back(tensor.array.bytes, &name);
  std::ranges::sort(parts, {}, [](const auto& part) { return part.first.data(); });
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].first.data() < parts[i - 1].first.data() + parts[i - 1].first.size())
      throw Error("the tensors " + in_quotes(*parts[i - 1].second) + " and " + in_quotes(*parts[i].second) +
                  " lie in the same bytes");
}

std::vector<float> TensorNumbers::of(const std::string& name, const NamedTensor& tensor) {
  const NumberArray& array = tensor.array;
  if (!array.type)
    throw Error("the tensor " + in_quotes(name) + " is of type " + in_quotes(tensor.type) +
                "; F32, F16, BF16 and F64 are read");
  if (const double count = count_of(array.shape); count > most_bank_weights)
    throw Error("the tensor " + in_quotes(name) + " has " + with_commas(number_text(count)) +
                " numbers; a layer has at most " + format_count(most_bank_weights));
  Numbers numbers = numbers_of(array);
  if (std::string difference = difference_from_float32(array); !difference.empty()) types_.insert(difference);
  rounded_ |= numbers.rounded;
  return std::move(numbers.values);
}

void TensorNumbers::add_remark(std::vector<std::string>& remarks) const {
  if (types_.empty()) return;
  std::string list;
  for (const std::string& type : types_) list += (list.empty() ? "" : "; ") + type;
  remarks.push_back("The file's numbers (" + list + ") were " +
                    (rounded_ ? "rounded to float32." : "converted to float32, none of them rounded."));
}

}  // namespace convoscope
