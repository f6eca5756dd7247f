#include "kernels/jit/specialised_source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/contract/data/image.h"
#include "kernels/jit/row_sums.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr int most_operations = 7000;  // of one row of a thread: more do not fit in the instruction cache
constexpr int rotated_operations = 2600;

std::string number(float value) {
  char text[40];
  std::snprintf(text, sizeof text, "%af", static_cast<double>(value));
  return text;
}
std::string id(const char* name, int a) { return name + std::to_string(a); }
std::string id(const char* name, int a, int b) { return id(name, a) + "_" + std::to_string(b); }

struct FilterShape {
  int rx, ry, channels, sums;  // sums: 2 for edge magnitude
  int columns;                 // outputs of a thread side by side; also the pixels of its widest load
  int height() const { return 2 * ry + 1; }
  int width() const { return columns + 2 * rx; }  // input pixels of a row that a thread needs
};

int sums_of(const Filter& filter) { return filter.is_magnitude() ? 2 : 1; }

// As many columns as leave sums, alphas and two rows of pixels in registers; 0 when even one does not.
int columns_for(const Filter& filter, PixelFormat format, int wanted) {
  constexpr int most_sums = 132, most_registers = 230;
  for (const int columns : {4, 2, 1}) {
    if (wanted && columns != wanted) continue;
    const int sums = filter.height * columns * channels(format) * sums_of(filter);
    const int alphas = format == PixelFormat::rgba8 ? filter.height * columns : 0;
    const int pixels = columns + filter.width - 1;
    if (sums <= most_sums && sums + alphas + 2 * pixels <= most_registers) return columns;
  }
  return 0;
}

// Whole vectors are loaded beside the pixels that are needed: only threads that far from the row's ends can do so.
int reach_of(int rx, int columns) { return (rx + columns - 1) / columns * columns; }

std::vector<std::vector<RowGroup>> groups_of(const Filter& filter) {
  std::vector<std::vector<RowGroup>> groups{row_groups(filter.weights, filter.width, filter.height)};
  if (filter.is_magnitude()) groups.push_back(row_groups(filter.weights_y, filter.width, filter.height));
  return groups;
}

int operations_of(const Filter& filter, PixelFormat format) {
  int count = 0;
  for (const auto& groups : groups_of(filter)) count += operations(groups);
  return count * channels(format);
}

class Writer {
 public:
  Writer(const Filter& filter, PixelFormat format, int rows, int columns)
      : filter_(filter), format_(format), groups_(groups_of(filter)) {
    shape_ = {filter.rx(), filter.ry(), channels(format), sums_of(filter), columns};
    rows_ = rows;
    // Sums that wait for later rows move up a register a row; where the loop's body is small enough it is written out
    // once for every position instead, and nothing moves.
    rotated_ = operations_of(filter, format) * shape_.columns * shape_.height() <= rotated_operations;
  }

  std::string write() {
    prologue();
    load_row();
    finish();
    kernel();
    return text_;
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  void prologue() {
    line("typedef unsigned int u32;");
    line("#ifndef CONVOSCOPE_HOST");
    line(
        "__device__ __forceinline__ u32 code_value(float v) { u32 r; asm(\"cvt.rni.sat.u8.f32 %0, %1;\" : \"=r\"(r) : "
        "\"f\"(v)); return r; }");
    line("template <int byte> __device__ __forceinline__ float channel(u32 pixel) {");
    line("  return __uint_as_float(__byte_perm(pixel, 0x4B000000u, 0x7540 | byte)) - 8388608.0f;  // 2^23 + byte");
    line("}");
    line(
        "template <class T> __device__ __forceinline__ T loaded(const u32* from) { return *reinterpret_cast<const "
        "T*>(from); }");
    line("#endif");
    line("struct Epilogue { float gain, bias; int absolute; };");
    line(
        "struct Source { const char* data; unsigned long long pitch; const int* columns; const int* rows; int width, "
        "height, aligned; };");
    line("struct Target { char* data; unsigned long long pitch; int aligned; };");
  }

  // Pixels x − rx … x + columns − 1 + rx of a row, in as few aligned loads as there are.
  void load_row() {
    const int n = shape_.width(), widest = shape_.columns;
    line("__device__ __forceinline__ void load_row(const Source in, int x, int y, bool inner, u32 (&p)[" +
         std::to_string(n) + "]) {");
    line("  const int row = in.rows[y];");
    line("  if (row < 0) {");
    for (int i = 0; i < n; ++i) line("    p[" + std::to_string(i) + "] = 0;");
    line("    return;\n  }");
    line("  const u32* const line = reinterpret_cast<const u32*>(in.data + row * in.pitch);");
    line("  if (inner) {");
    const auto load = [&](int first, int count, int words) {  // `count` pixels from `first` on, of `words` loaded
      const int from = words == 4 && count < 4 && first < shape_.rx ? first - (4 - count) : first;
      const std::string place = "line + x + (" + std::to_string(from - shape_.rx) + ")";
      if (words == 1) {
        line("    p[" + std::to_string(first) + "] = loaded<u32>(" + place + ");");
        return;
      }
      const std::string type = "uint" + std::to_string(words);
      line("    { const " + type + " v = loaded<" + type + ">(" + place + ");");
      for (int i = 0; i < count; ++i)
        line(std::string("      p[") + std::to_string(first + i) + "] = v." + "xyzw"[first + i - from] + ";");
      line("    }");
    };
    const int left = shape_.rx % widest;
    if (left) load(0, left, left == 3 ? 4 : left);
    int i = left;
    for (; i + widest <= n; i += widest) load(i, widest, widest);
    if (i < n) load(i, n - i, n - i == 3 ? 4 : n - i);
    line("    return;\n  }");
    line("  int column;");
    for (int k = 0; k < n; ++k)
      line("  column = in.columns[x + (" + std::to_string(k - shape_.rx) + ")]; p[" + std::to_string(k) +
           "] = column < 0 ? 0 : loaded<u32>(line + column);");
    line("}");
  }

  void finish() {
    line("__device__ __forceinline__ float finish(const Epilogue e, float sum) {");
    line("  const float value = fmaf(e.gain, sum, e.bias);\n  return e.absolute ? fabsf(value) : value;\n}");
  }

  std::string sum_name(int set, int slot, int c, int channel) const {
    return id("s", set * shape_.channels + channel) + id("_", slot, c);
  }
  std::string pixel(int i, int channel) const { return id("v", channel, i); }

  std::string operand(const RowTerm& term, int c, int channel) const {
    const std::string near = pixel(c + term.near, channel), far = pixel(c + term.far, channel);
    if (term.kind == RowTerm::Kind::pixel) return near;
    return "(" + far + (term.kind == RowTerm::Kind::sum ? " + " : " - ") + near + ")";
  }

  // Adds one input row to all the sums that need it. Slot a holds the output row that is complete after a more rows.
  void add_row(int phase) {
    const int height = shape_.height();
    for (int set = 0; set < shape_.sums; ++set)
      for (int channel = 0; channel < shape_.channels; ++channel)
        for (int c = 0; c < shape_.columns; ++c) {
          const auto sum_of = [&](int filter_row) {
            return sum_name(set, slot(height - 1 - filter_row, phase), c, channel);
          };
          line("    " + sum_of(0) + " = 0.0f;");  // the newest output begins with the filter's first row
          for (const RowGroup& group : groups_[static_cast<std::size_t>(set)]) {
            if (group.members.size() == 1) {
              const std::string sum = sum_of(group.members[0].row);
              for (const RowTerm& term : group.terms)
                line("    " + sum + " = fmaf(" + number(term.weight) + ", " + operand(term, c, channel) + ", " + sum +
                     ");");
              continue;
            }
            line("    { float t = " + number(group.terms[0].weight) + " * " + operand(group.terms[0], c, channel) +
                 ";");
            for (std::size_t i = 1; i < group.terms.size(); ++i)
              line("    t = fmaf(" + number(group.terms[i].weight) + ", " + operand(group.terms[i], c, channel) +
                   ", t);");
            for (const RowGroup::Member& member : group.members) {
              const std::string sum = sum_of(member.row);
              line("    " + sum +
                   (member.scale == 1    ? " += t;"
                    : member.scale == -1 ? " -= t;"
                                         : " = fmaf(" + number(member.scale) + ", t, " + sum + ");"));
            }
            line("    }");
          }
        }
  }

  int slot(int a, int phase) const { return rotated_ ? (a + phase) % shape_.height() : a; }

  // The alpha of the centre row's pixels, kept until their output is complete.
  void keep_alpha(int phase) {
    if (format_ != PixelFormat::rgba8) return;
    for (int c = 0; c < shape_.columns; ++c)
      line("    " + id("alpha", slot(shape_.ry, phase), c) + " = p[" + std::to_string(c + shape_.rx) +
           "] & 0xFF000000u;");
  }

  std::string finished(int c, int channel, int first) const {
    const std::string a = sum_name(0, first, c, channel);
    if (shape_.sums == 1) return "finish(e, " + a + ")";
    const std::string b = sum_name(1, first, c, channel);
    return "finish(e, sqrtf(" + a + " * " + a + " + " + b + " * " + b + "))";
  }

  void store(int phase) {
    const int first = slot(0, phase);
    line("    if (y - " + std::to_string(shape_.ry) + " >= y0) {");
    for (int c = 0; c < shape_.columns; ++c) {
      const std::string name = id("o", c);
      if (format_ == PixelFormat::gray32f)
        line("      const u32 " + name + " = __float_as_uint(" + finished(c, 0, first) + ");");
      else
        line("      const u32 " + name + " = code_value(" + finished(c, 0, first) + ") | code_value(" +
             finished(c, 1, first) + ") << 8 | code_value(" + finished(c, 2, first) + ") << 16 | " +
             id("alpha", first, c) + ";");
    }
    line("      u32* const to = reinterpret_cast<u32*>(out.data + (unsigned long long)(y - " +
         std::to_string(shape_.ry) + ") * out.pitch) + x;");
    if (shape_.columns > 1) {
      const std::string type = "uint" + std::to_string(shape_.columns);
      std::string values;
      for (int c = 0; c < shape_.columns; ++c) values += (c ? ", " : "") + id("o", c);
      line("      if (out.aligned && x + " + std::to_string(shape_.columns) + " <= in.width) {");
      line("        *reinterpret_cast<" + type + "*>(to) = make_" + type + "(" + values + ");");
      line("      } else {");
    } else {
      line("      {");
    }
    for (int c = 0; c < shape_.columns; ++c)
      line("        if (x + " + std::to_string(c) + " < in.width) to[" + std::to_string(c) + "] = " + id("o", c) + ";");
    line("      }\n    }");
  }

  void unpack() {
    for (int i = 0; i < shape_.width(); ++i)
      for (int channel = 0; channel < shape_.channels; ++channel)
        line("    const float " + pixel(i, channel) + " = " +
             (format_ == PixelFormat::gray32f
                  ? "__uint_as_float(p[" + std::to_string(i) + "]);"
                  : "channel<" + std::to_string(channel) + ">(p[" + std::to_string(i) + "]);"));
  }

  void move_sums() {
    if (rotated_) return;
    for (int a = 0; a + 1 < shape_.height(); ++a)
      for (int c = 0; c < shape_.columns; ++c) {
        for (int set = 0; set < shape_.sums; ++set)
          for (int channel = 0; channel < shape_.channels; ++channel)
            line("    " + sum_name(set, a, c, channel) + " = " + sum_name(set, a + 1, c, channel) + ";");
        if (format_ == PixelFormat::rgba8) line("    " + id("alpha", a, c) + " = " + id("alpha", a + 1, c) + ";");
      }
  }

  void kernel() {
    const std::string columns = std::to_string(shape_.columns), ry = std::to_string(shape_.ry),
                      n = std::to_string(shape_.width());
    const std::string reach = std::to_string(reach_of(shape_.rx, shape_.columns));
    line(
        "extern \"C\" __global__ void __launch_bounds__(128) filter_specialised(const Source in, const Target out, "
        "const Epilogue e) {");
    line("  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x) * " + columns + ";");
    line("  const int y0 = static_cast<int>(blockIdx.y * 4 + threadIdx.y) * " + std::to_string(rows_) + ";");
    line("  if (x >= in.width || y0 >= in.height) return;");
    line("  const int last = (y0 + " + std::to_string(rows_) + " < in.height ? y0 + " + std::to_string(rows_) +
         " : in.height) - 1 + " + ry + ";");
    line("  const bool inner = in.aligned && x >= " + reach + " && x + " + columns + " + " + reach + " <= in.width;");
    for (int a = 0; a < shape_.height(); ++a)
      for (int c = 0; c < shape_.columns; ++c) {
        for (int set = 0; set < shape_.sums; ++set)
          for (int channel = 0; channel < shape_.channels; ++channel)
            line("  float " + sum_name(set, a, c, channel) + " = 0.0f;");
        if (format_ == PixelFormat::rgba8) line("  u32 " + id("alpha", a, c) + " = 0;");
      }
    line("  u32 p[" + n + "], ahead[" + n + "];");
    line("  int y = y0 - " + ry + ";");
    line("  load_row(in, x, y, inner, p);");
    line("  for (;; ) {");
    const int phases = rotated_ ? shape_.height() : 1;
    for (int phase = 0; phase < phases; ++phase) {
      line("    {");
      line("    if (y < last) load_row(in, x, y + 1, inner, ahead);  // on its way while this row is summed");
      unpack();
      add_row(phase);
      keep_alpha(phase);
      store(phase);
      move_sums();
      line("    }");
      line("    if (++y > last) return;");
      for (int i = 0; i < shape_.width(); ++i)
        line("    p[" + std::to_string(i) + "] = ahead[" + std::to_string(i) + "];");
    }
    line("  }\n}");
  }

  const Filter& filter_;
  PixelFormat format_;
  std::vector<std::vector<RowGroup>> groups_;
  FilterShape shape_;
  int rows_;
  bool rotated_;
  std::string text_;
};

std::string findings_of(const Filter& filter) {
  int zeros = 0, rows_shared = 0, pairs = 0;
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y})
    zeros += static_cast<int>(std::count(weights->begin(), weights->end(), 0.0f));
  for (const auto& groups : groups_of(filter))
    for (const RowGroup& group : groups) {
      rows_shared += static_cast<int>(group.members.size()) - 1;
      for (const RowTerm& term : group.terms) pairs += term.kind != RowTerm::Kind::pixel;
    }
  std::string text;
  const auto add = [&](int count, const std::string& words) {
    if (count) text += (text.empty() ? "" : ", ") + format_count(count) + words;
  };
  add(zeros, " zeros left out");
  add(rows_shared, rows_shared == 1 ? " row is a multiple of another" : " rows are multiples of others");
  add(pairs, pairs == 1 ? " pair of weights is mirrored" : " pairs of weights are mirrored");
  return text.empty() ? "no zeros and no symmetry to use" : text;
}

}  // namespace

SpecialisedKernel specialised_source(const Filter& filter, PixelFormat format, int rows, int columns) {
  SpecialisedKernel result;
  result.rows = specialised_rows(filter, rows);
  result.columns = columns_for(filter, format, columns);
  result.operations = operations_of(filter, format);
  result.findings = findings_of(filter);
  result.source = Writer(filter, format, result.rows, result.columns).write();
  return result;
}

int specialised_operations(const Filter& filter, PixelFormat format) { return operations_of(filter, format); }

int specialised_columns(const Filter& filter, PixelFormat format, int columns) {
  return columns_for(filter, format, columns);
}

// The rows above and below a strip are read and summed once more by its neighbour, so strips grow with the filter.
int specialised_rows(const Filter& filter, int rows) {
  return rows > 0 ? rows : std::clamp(16 * ((filter.height + 2) / 3), 16, 128);
}

int specialised_beside(const Filter& filter, int columns, int x, int image_width) {
  const int reach = reach_of(filter.rx(), columns);
  const bool inner = x >= reach && x + columns + reach <= image_width;
  return filter.rx() + (inner && filter.rx() % columns == 3 ? 1 : 0);
}

std::string specialised_reason(const Filter& filter, PixelFormat format, int wanted_columns) {
  const int columns = columns_for(filter, format, wanted_columns);
  if (columns == 0)
    return "the unfinished sums of a thread, " +
           std::to_string(filter.height * channels(format) * sums_of(filter) * std::max(wanted_columns, 1)) +
           ", and the pixels of a row do not fit in its registers";
  const int count = operations_of(filter, format) * columns;
  if (count > most_operations)
    return "its code would be " + format_count(count) + " multiply-adds long; the instruction cache holds about " +
           format_count(most_operations);
  return {};
}

}  // namespace convoscope
