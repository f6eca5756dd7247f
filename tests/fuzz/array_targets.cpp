// Weights that other programs have written: NumPy's arrays, packed ones, and networks.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/network_layers.h"
#include "kernels/text/error.h"
#include "tests/fuzz/target.h"
#include "tests/kernels/filter/array_files.h"

namespace convoscope::fuzz {
namespace {

using test::bytes_of;
using test::npy_file;
using test::npy_header;

// Each number has at least a byte of the file, whatever its header says.
void check_weights(const Filter& bank, std::size_t bytes) {
  try {
    validate_bank(bank);
  } catch (const Error& error) {
    throw Failure{std::string("a bank was taken that is none: ") + error.what()};
  }
  if (bank.weights.size() > bytes) throw Failure{"so many weights: " + std::to_string(bank.weights.size())};
}
void check_layers(const std::vector<NetworkLayer>& layers, std::size_t bytes) {
  try {
    validate_network(layers);
  } catch (const Error& error) {
    throw Failure{std::string("a network was taken that is none: ") + error.what()};
  }
  for (const NetworkLayer& layer : layers) check_weights(layer.bank, bytes);
}

std::vector<std::string> npy_files(const Place&) {
  const std::vector<float> some{1, -2, 0.5f, 4, 1e-3f, 0, 7, 8, -9};
  const std::vector<double> precise(some.begin(), some.end());
  return {npy_file(npy_header("(1, 1, 3, 3)"), bytes_of(some)),
          npy_file(npy_header("(1, 1, 3, 3)", ">f8", "True"), bytes_of(precise, true)),
          npy_file(npy_header("(9, 1, 1, 1)", "|V2"), std::string(18, '\x3f'), 2),
          npy_file(npy_header("(3, 3, 1, 2)", "|i1"), std::string(18, '\2'))};
}
const std::vector<std::string> npy_words{"'descr'", "'fortran_order'", "'shape'", "True", "False", "'<f4'", "'>f8'",
                                         "'|V2'",   "'<u8'",           "(3, 3,)", "(",    ")",     "0",     "67108864"};

void read_npy(const std::string& input, const Place& place) {
  const Place file = place / "bank.npy";
  write_file(file, input);
  try {
    std::vector<std::string> remarks;
    check_weights(load_bank(file, &remarks), input.size());
  } catch (const Error&) {
  }
}

// As PyTorch's state_dict has them.
std::vector<test::Zipped> parts_of_a_network(bool deflated) {
  std::vector<test::Zipped> parts{
      {"0.weight.npy", npy_file(npy_header("(2, 3, 1, 1)", "<f8"), bytes_of<double>({1, 2, 3, 4, 5, 6}))},
      {"0.bias.npy", npy_file(npy_header("(2,)"), bytes_of<float>({1, 2}))},
      {"1.num_batches_tracked.npy", npy_file(npy_header("()", "<i8"), bytes_of<std::int64_t>({5}))},
      {"3.weight.npy", npy_file(npy_header("(1, 2, 1, 1)"), bytes_of<float>({1, 2}))}};
  for (const char* const part : {"weight", "bias", "running_mean", "running_var"})
    parts.push_back({std::string("1.") + part + ".npy", npy_file(npy_header("(2,)"), bytes_of<float>({1, 0.5f}))});
  for (test::Zipped& part : parts) part.deflated = deflated;
  return parts;
}
std::vector<std::string> npz_files(const Place&) {
  return {test::zip_file(parts_of_a_network(false)), test::zip_file(parts_of_a_network(true)), test::zip_file({})};
}

std::size_t number_at(const std::string& bytes, std::size_t at, int count) {
  std::size_t value = 0;
  for (int i = count; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

// The checksums in the directory of what is stored, else nearly every change ends there.
void mend_npz(std::string& zip) {
  for (std::size_t at = 0; (at = zip.find("PK\1\2", at)) != std::string::npos && at + 46 <= zip.size(); at += 46) {
    const std::size_t packed = number_at(zip, at + 20, 4), header = number_at(zip, at + 42, 4);
    if (header + 30 > zip.size()) continue;
    const std::size_t begin = header + 30 + number_at(zip, header + 26, 2) + number_at(zip, header + 28, 2);
    if (begin > zip.size() || zip.size() - begin < packed) continue;
    const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(zip.data() + begin), packed);
    if (number_at(zip, at + 10, 2) == 0) zip.replace(at + 16, 4, test::little_endian_bytes(sum, 4));
  }
}

void read_npz_network(const std::string& input, const Place& place) {
  const Place file = place / "network.npz";
  write_file(file, input);
  try {
    std::vector<std::string> remarks;
    // A byte of what is deflated makes some thousand at most.
    check_layers(load_network(file, &remarks), 1100 * input.size());
  } catch (const Error&) {
  }
}

std::vector<std::string> safetensors_files(const Place&) {
  const auto tensor = [](const std::string& name, const char* type, const char* shape, int from, int to) {
    return ", \"" + name + "\": {\"dtype\": \"" + type + "\", \"shape\": " + shape + ", \"data_offsets\": [" +
           std::to_string(from) + ", " + std::to_string(to) + "]}";
  };
  const std::string tensors =
      tensor("0.weight", "F64", "[2, 3, 1, 1]", 0, 48) + tensor("0.bias", "F16", "[2]", 48, 52) +
      tensor("1.weight", "F32", "[2]", 52, 60) + tensor("1.bias", "BF16", "[2]", 60, 64) +
      tensor("1.running_mean", "F32", "[2]", 64, 72) + tensor("1.running_var", "F32", "[2]", 72, 80) +
      tensor("1.num_batches_tracked", "I64", "[]", 80, 88) + tensor("3.weight", "F32", "[1, 2, 1, 1]", 88, 96);
  const std::string data(96, '\x3f');
  const std::string said = R"({"__metadata__": {"convoscope": "{\"layers\": [{\"weights\": \"0.weight\", \"norm\":)"
                           R"( \"1\", \"epsilon\": 0.1, \"relu\": true, \"stride\": 2}]}"})";
  return {test::safetensors_file("{" + tensors.substr(2) + "}", data),
          test::safetensors_file(said + tensors + "}", data), std::string(learnt_denoiser.substr(0, 1 << 14))};
}

// The header's length.
void mend_safetensors(std::string& file) {
  long long depth = 0;
  for (std::size_t at = 8; at < file.size(); ++at) {
    depth += file[at] == '{' ? 1 : file[at] == '}' ? -1 : 0;
    if (depth > 0 || file[at] != '}') continue;
    file.replace(0, 8, test::little_endian_bytes(at + 1 - 8, 8));
    return;
  }
}

void read_safetensors_network(const std::string& input, const Place&) {
  try {
    check_layers(parse_network(input), input.size());
  } catch (const Error&) {
  }
}

}  // namespace

std::vector<Target> array_targets() {
  return {{.name = "npy", .ending = ".npy", .seeds = npy_files, .run = read_npy, .words = npy_words},
          {.name = "npz", .ending = ".npz", .seeds = npz_files, .run = read_npz_network, .mend = mend_npz},
          {.name = "safetensors",
           .ending = ".safetensors",
           .seeds = safetensors_files,
           .run = read_safetensors_network,
           .words = {"dtype", "shape", "data_offsets", "F64", "F32", "F16", "BF16", "I64", "U8", "weight", "bias",
                     "running_mean", "running_var", "0", "1", "__metadata__", "convoscope", "norm", "epsilon"},
           .mend = mend_safetensors}};
}

}  // namespace convoscope::fuzz
