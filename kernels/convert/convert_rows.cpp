#include "kernels/convert/convert_rows.h"

#include <cstring>

#include "kernels/cpu/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert/convert_rows.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "kernels/cpu/float_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoscope::convert_rows {
namespace HWY_NAMESPACE {
using namespace floats::HWY_NAMESPACE;

using Ints = hn::Rebind<std::int32_t, Floats>;
using Words = hn::Rebind<std::uint32_t, Floats>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;
using WordVector = hn::Vec<Words>;
using ByteVector = hn::Vec<Bytes>;

// The first of a row's elements that lie behind its last whole vector, and how many there are.
struct Rest {
  explicit Rest(int all) : at(all / lanes * lanes), count(all - at) {}
  int at, count;
};

HWY_INLINE Vector widened(ByteVector bytes) { return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), bytes)); }
HWY_INLINE Vector widened(const std::uint8_t* bytes) { return widened(hn::LoadU(Bytes(), bytes)); }

HWY_INLINE Vector lerp(Vector a, Vector b, Vector weight_of_b) { return hn::MulAdd(weight_of_b, hn::Sub(b, a), a); }

HWY_INLINE void between(ByteVector upper, ByteVector lower, float weight, float zero, float* out) {
  constexpr Floats d;
  const Vector value = lerp(widened(upper), widened(lower), hn::Set(d, weight));
  hn::StoreU(hn::Sub(value, hn::Set(d, zero)), d, out);
}

void BetweenRows(const std::uint8_t* upper, const std::uint8_t* lower, float weight, float zero, float* out,
                 int count) {
  constexpr Bytes bytes;
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes)
    between(hn::LoadU(bytes, upper + i), hn::LoadU(bytes, lower + i), weight, zero, out + i);
  if (rest.count == 0) return;
  std::uint8_t last_upper[lanes] = {}, last_lower[lanes] = {};
  std::memcpy(last_upper, upper + rest.at, static_cast<std::size_t>(rest.count));
  std::memcpy(last_lower, lower + rest.at, static_cast<std::size_t>(rest.count));
  between(hn::LoadU(bytes, last_upper), hn::LoadU(bytes, last_lower), weight, zero, out + rest.at);
}

HWY_INLINE void between_pairs(const std::uint8_t* upper, const std::uint8_t* lower, float weight, float zero, float* u,
                              float* v) {
  constexpr Bytes bytes;
  ByteVector upper_u, upper_v, lower_u, lower_v;
  hn::LoadInterleaved2(bytes, upper, upper_u, upper_v);
  hn::LoadInterleaved2(bytes, lower, lower_u, lower_v);
  between(upper_u, lower_u, weight, zero, u);
  between(upper_v, lower_v, weight, zero, v);
}

void BetweenRowsOfPairs(const std::uint8_t* upper, const std::uint8_t* lower, float weight, float zero, float* u,
                        float* v, int count) {
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes) between_pairs(upper + 2 * i, lower + 2 * i, weight, zero, u + i, v + i);
  if (rest.count == 0) return;
  std::uint8_t last_upper[2 * lanes] = {}, last_lower[2 * lanes] = {};
  std::memcpy(last_upper, upper + 2 * rest.at, 2 * static_cast<std::size_t>(rest.count));
  std::memcpy(last_lower, lower + 2 * rest.at, 2 * static_cast<std::size_t>(rest.count));
  between_pairs(last_upper, last_lower, weight, zero, u + rest.at, v + rest.at);
}

void Upsample(const float* in, float even_weight, float odd_weight, float* out, int count) {
  constexpr Floats d;
  static_assert(2 * lanes <= slack);
  const Vector even = hn::Set(d, even_weight), odd = hn::Set(d, odd_weight);
  for (int i = 0; i < count; i += lanes) {
    const Vector here = hn::LoadU(d, in + i);
    hn::StoreInterleaved2(lerp(hn::LoadU(d, in + i - 1), here, even), lerp(here, hn::LoadU(d, in + i + 1), odd), d,
                          out + 2 * i);
  }
}

HWY_INLINE WordVector code(Vector value) {
  constexpr Floats d;
  return hn::BitCast(Words(), hn::NearestInt(hn::Clamp(value, hn::Zero(d), hn::Set(d, 255.0f))));
}

HWY_INLINE void store_pixels(WordVector first, WordVector second, WordVector third, Rgba8* out) {
  constexpr Words words;
  const WordVector alpha = hn::Set(words, 0xFF000000u);
  const WordVector pixels = hn::Or(hn::Or(first, hn::ShiftLeft<8>(second)), hn::Or(hn::ShiftLeft<16>(third), alpha));
  hn::StoreU(pixels, words, reinterpret_cast<std::uint32_t*>(out));
}

HWY_INLINE void colours(const std::uint8_t* luma, const float* u_row, const float* v_row, const Conversion& c,
                        Rgba8* out) {
  constexpr Floats d;
  const Vector u = hn::LoadU(d, u_row), v = hn::LoadU(d, v_row);
  const Vector white = hn::Mul(hn::Sub(widened(luma), hn::Set(d, c.luma_zero)), hn::Set(d, c.luma_scale));
  const Vector green = hn::MulAdd(v, hn::Set(d, c.v_to_g), hn::MulAdd(u, hn::Set(d, c.u_to_g), white));
  const Vector red = hn::MulAdd(v, hn::Set(d, c.v_to_r), hn::MulAdd(u, hn::Set(d, c.u_to_r), white));
  const Vector blue = hn::MulAdd(v, hn::Set(d, c.v_to_b), hn::MulAdd(u, hn::Set(d, c.u_to_b), white));
  store_pixels(code(red), code(green), code(blue), out);
}

HWY_INLINE void as_stored(const std::uint8_t* luma, const float* u, const float* v, float zero, Rgba8* out) {
  constexpr Floats d;
  const Vector offset = hn::Set(d, zero);
  store_pixels(hn::PromoteTo(Words(), hn::LoadU(Bytes(), luma)), code(hn::Add(hn::LoadU(d, u), offset)),
               code(hn::Add(hn::LoadU(d, v), offset)), out);
}

// pixels(luma, u, v, out) for each vector of a row.
template <class Pixels>
HWY_INLINE void for_each_vector(const std::uint8_t* luma, const float* u, const float* v, Rgba8* out, int count,
                                Pixels pixels) {
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes) pixels(luma + i, u + i, v + i, out + i);
  if (rest.count == 0) return;
  std::uint8_t last_luma[lanes] = {};
  Rgba8 last_out[lanes];
  std::memcpy(last_luma, luma + rest.at, static_cast<std::size_t>(rest.count));
  pixels(last_luma, u + rest.at, v + rest.at, last_out);
  std::memcpy(out + rest.at, last_out, static_cast<std::size_t>(rest.count) * sizeof(Rgba8));
}

void ToRgb(const std::uint8_t* luma, const float* u, const float* v, const Conversion& conversion, Rgba8* out,
           int count) {
  const Conversion c = conversion;  // for all the compiler knows, pixels that are stored might change the other
  for_each_vector(luma, u, v, out, count,
                  [&](const std::uint8_t* y, const float* u_row, const float* v_row, Rgba8* to) {
                    colours(y, u_row, v_row, c, to);
                  });
}

void ToYuv(const std::uint8_t* luma, const float* u, const float* v, float zero, Rgba8* out, int count) {
  for_each_vector(luma, u, v, out, count,
                  [&](const std::uint8_t* y, const float* u_row, const float* v_row, Rgba8* to) {
                    as_stored(y, u_row, v_row, zero, to);
                  });
}

HWY_INLINE WordVector load_pixels(const Rgba8* from) {
  return hn::LoadU(Words(), reinterpret_cast<const std::uint32_t*>(from));
}

void Channel(const Rgba8* in, int which, std::uint8_t* out, int count) {
  constexpr Bytes bytes;
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes)
    hn::StoreU(hn::TruncateTo(bytes, hn::ShiftRightSame(load_pixels(in + i), 8 * which)), bytes, out + i);
  for (int i = rest.at; i < count; ++i) out[i] = which == 0 ? in[i].r : which == 1 ? in[i].g : in[i].b;
}

// U + V · 2^16: sums of either stay below 2^16.
HWY_INLINE WordVector chroma(const Rgba8* from) {
  constexpr Words words;
  const WordVector pixels = load_pixels(from);
  return hn::Or(hn::And(hn::ShiftRight<8>(pixels), hn::Set(words, 0xFFu)), hn::And(pixels, hn::Set(words, 0xFF0000u)));
}

HWY_INLINE void sum_pixels(const Rgba8* a, const Rgba8* b, const Rgba8* c, const Rgba8* d, std::uint32_t* out) {
  const WordVector inner = hn::Add(chroma(b), chroma(c));
  const WordVector sum = hn::Add(hn::Add(chroma(a), chroma(d)), hn::Add(inner, hn::Add(inner, inner)));
  hn::StoreU(sum, Words(), out);
}

void SumRows(const Rgba8* const* rows, std::uint32_t* out, int count) {
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes) sum_pixels(rows[0] + i, rows[1] + i, rows[2] + i, rows[3] + i, out + i);
  if (rest.count == 0) return;
  Rgba8 last[4][lanes] = {};
  for (int row = 0; row < 4; ++row)
    std::memcpy(last[row], rows[row] + rest.at, static_cast<std::size_t>(rest.count) * sizeof(Rgba8));
  sum_pixels(last[0], last[1], last[2], last[3], out + rest.at);
}

HWY_INLINE void halve_vector(const std::uint32_t* in, std::uint8_t* u, std::uint8_t* v) {
  constexpr Words words;
  constexpr Bytes bytes;
  WordVector left, here, right;
  hn::LoadInterleaved2(words, in - 1, left, here);
  hn::LoadInterleaved2(words, in, here, right);
  constexpr int weights = 5;  // log2 of their sum, 8 · 4
  const WordVector half = hn::Set(words, 0x00010001u << (weights - 1));
  const WordVector sum = hn::Add(hn::Add(left, right), hn::Add(hn::Add(here, here), half));
  hn::StoreU(hn::TruncateTo(bytes, hn::ShiftRight<weights>(sum)), bytes, u);
  hn::StoreU(hn::TruncateTo(bytes, hn::ShiftRight<weights + 16>(sum)), bytes, v);
}

void Halve(const std::uint32_t* in, std::uint8_t* u, std::uint8_t* v, int count) {
  static_assert(2 * lanes <= slack);
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes) halve_vector(in + 2 * i, u + i, v + i);
  if (rest.count == 0) return;
  std::uint8_t last_u[lanes], last_v[lanes];
  halve_vector(in + 2 * rest.at, last_u, last_v);
  std::memcpy(u + rest.at, last_u, static_cast<std::size_t>(rest.count));
  std::memcpy(v + rest.at, last_v, static_cast<std::size_t>(rest.count));
}

using IntVector = hn::Vec<Ints>;

// (red · R + green · G + blue · B + offset) >> shift, below 256.
template <int shift>
HWY_INLINE ByteVector mix(WordVector red, WordVector green, WordVector blue, const std::int32_t (&factors)[3],
                          std::int32_t offset) {
  constexpr Ints d;
  const auto of = [&](WordVector codes, int which) {
    return hn::Mul(hn::BitCast(d, codes), hn::Set(d, factors[which]));
  };
  const IntVector sum = hn::Add(hn::Add(of(red, 0), of(green, 1)), hn::Add(of(blue, 2), hn::Set(d, offset)));
  return hn::TruncateTo(Bytes(), hn::BitCast(Words(), hn::ShiftRight<shift>(sum)));
}

HWY_INLINE ByteVector mix_pixels(const Rgba8* in, const std::int32_t (&factors)[3], std::int32_t offset) {
  constexpr Words words;
  const WordVector pixels = load_pixels(in), code = hn::Set(words, 0xFFu);
  return mix<PlaneConversion::bits>(hn::And(pixels, code), hn::And(hn::ShiftRight<8>(pixels), code),
                                    hn::And(hn::ShiftRight<16>(pixels), code), factors, offset);
}

void Mixed(const Rgba8* in, const std::int32_t (&given)[3], std::int32_t offset, std::uint8_t* out, int count) {
  constexpr Bytes bytes;
  const std::int32_t factors[] = {given[0], given[1], given[2]};  // which bytes that are stored might change, else
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes) hn::StoreU(mix_pixels(in + i, factors, offset), bytes, out + i);
  if (rest.count == 0) return;
  Rgba8 last[lanes] = {};
  std::uint8_t last_out[lanes];
  std::memcpy(last, in + rest.at, static_cast<std::size_t>(rest.count) * sizeof(Rgba8));
  hn::StoreU(mix_pixels(last, factors, offset), bytes, last_out);
  std::memcpy(out + rest.at, last_out, static_cast<std::size_t>(rest.count));
}

HWY_INLINE void sum_of_colours(const Rgba8* a, const Rgba8* b, const Rgba8* c, const Rgba8* d, std::uint32_t* red_blue,
                               std::uint32_t* green) {
  constexpr Words words;
  const WordVector outer = hn::Set(words, 0xFF00FFu), inner = hn::Set(words, 0xFFu);
  const WordVector rows[] = {load_pixels(a), load_pixels(b), load_pixels(c), load_pixels(d)};
  const auto sum = [](WordVector first, WordVector second, WordVector third, WordVector fourth) {
    const WordVector middle = hn::Add(second, third);
    return hn::Add(hn::Add(first, fourth), hn::Add(middle, hn::Add(middle, middle)));
  };
  hn::StoreU(sum(hn::And(rows[0], outer), hn::And(rows[1], outer), hn::And(rows[2], outer), hn::And(rows[3], outer)),
             words, red_blue);
  const auto middle_of = [&](WordVector pixels) { return hn::And(hn::ShiftRight<8>(pixels), inner); };
  hn::StoreU(sum(middle_of(rows[0]), middle_of(rows[1]), middle_of(rows[2]), middle_of(rows[3])), words, green);
}

void SumColours(const Rgba8* const* rows, std::uint32_t* red_blue, std::uint32_t* green, int count) {
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes)
    sum_of_colours(rows[0] + i, rows[1] + i, rows[2] + i, rows[3] + i, red_blue + i, green + i);
  if (rest.count == 0) return;
  Rgba8 last[4][lanes] = {};
  for (int row = 0; row < 4; ++row)
    std::memcpy(last[row], rows[row] + rest.at, static_cast<std::size_t>(rest.count) * sizeof(Rgba8));
  sum_of_colours(last[0], last[1], last[2], last[3], red_blue + rest.at, green + rest.at);
}

// Of every second from in[0] on, with the weights 1, 2, 1.
HWY_INLINE WordVector sum_of_three(const std::uint32_t* in) {
  constexpr Words words;
  WordVector left, here, right;
  hn::LoadInterleaved2(words, in - 1, left, here);
  hn::LoadInterleaved2(words, in, here, right);
  return hn::Add(hn::Add(left, right), hn::Add(here, here));
}

HWY_INLINE void halve_colour_vector(const std::uint32_t* red_blue, const std::uint32_t* green, const PlaneConversion& c,
                                    std::uint8_t* u, std::uint8_t* v) {
  constexpr int shift = PlaneConversion::bits + PlaneConversion::halved_bits;
  const WordVector outer = sum_of_three(red_blue), inner = sum_of_three(green);
  const WordVector red = hn::And(outer, hn::Set(Words(), 0xFFFFu)), blue = hn::ShiftRight<16>(outer);
  hn::StoreU(mix<shift>(red, inner, blue, c.factors[1], c.offsets[1]), Bytes(), u);
  hn::StoreU(mix<shift>(red, inner, blue, c.factors[2], c.offsets[2]), Bytes(), v);
}

void HalveColours(const std::uint32_t* red_blue, const std::uint32_t* green, const PlaneConversion& conversion,
                  std::uint8_t* u, std::uint8_t* v, int count) {
  const PlaneConversion c = conversion;
  const Rest rest(count);
  for (int i = 0; i < rest.at; i += lanes) halve_colour_vector(red_blue + 2 * i, green + 2 * i, c, u + i, v + i);
  if (rest.count == 0) return;
  std::uint8_t last_u[lanes], last_v[lanes];
  halve_colour_vector(red_blue + 2 * rest.at, green + 2 * rest.at, c, last_u, last_v);
  std::memcpy(u + rest.at, last_u, static_cast<std::size_t>(rest.count));
  std::memcpy(v + rest.at, last_v, static_cast<std::size_t>(rest.count));
}

}  // namespace HWY_NAMESPACE
}  // namespace convoscope::convert_rows
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoscope::convert_rows {

HWY_EXPORT(BetweenRows);
HWY_EXPORT(BetweenRowsOfPairs);
HWY_EXPORT(Upsample);
HWY_EXPORT(ToRgb);
HWY_EXPORT(ToYuv);
HWY_EXPORT(Channel);
HWY_EXPORT(SumRows);
HWY_EXPORT(Halve);
HWY_EXPORT(Mixed);
HWY_EXPORT(SumColours);
HWY_EXPORT(HalveColours);

void between_rows(const std::uint8_t* upper, const std::uint8_t* lower, float weight, float zero, float* out,
                  int count) {
  HWY_DYNAMIC_DISPATCH(BetweenRows)(upper, lower, weight, zero, out, count);
}

void between_rows_of_pairs(const std::uint8_t* upper, const std::uint8_t* lower, float weight, float zero, float* u,
                           float* v, int count) {
  HWY_DYNAMIC_DISPATCH(BetweenRowsOfPairs)(upper, lower, weight, zero, u, v, count);
}

void upsample(const float* in, float even_weight, float odd_weight, float* out, int count) {
  HWY_DYNAMIC_DISPATCH(Upsample)(in, even_weight, odd_weight, out, count);
}

void to_rgb(const std::uint8_t* luma, const float* u, const float* v, const Conversion& c, Rgba8* out, int count) {
  HWY_DYNAMIC_DISPATCH(ToRgb)(luma, u, v, c, out, count);
}

void to_yuv(const std::uint8_t* luma, const float* u, const float* v, float zero, Rgba8* out, int count) {
  HWY_DYNAMIC_DISPATCH(ToYuv)(luma, u, v, zero, out, count);
}

void channel(const Rgba8* in, int which, std::uint8_t* out, int count) {
  HWY_DYNAMIC_DISPATCH(Channel)(in, which, out, count);
}

void sum_rows(const Rgba8* const* rows, std::uint32_t* out, int count) {
  HWY_DYNAMIC_DISPATCH(SumRows)(rows, out, count);
}

void halve(const std::uint32_t* in, std::uint8_t* u, std::uint8_t* v, int count) {
  HWY_DYNAMIC_DISPATCH(Halve)(in, u, v, count);
}

void mixed(const Rgba8* in, const std::int32_t (&factors)[3], std::int32_t offset, std::uint8_t* out, int count) {
  HWY_DYNAMIC_DISPATCH(Mixed)(in, factors, offset, out, count);
}

void sum_colours(const Rgba8* const* rows, std::uint32_t* red_blue, std::uint32_t* green, int count) {
  HWY_DYNAMIC_DISPATCH(SumColours)(rows, red_blue, green, count);
}

void halve_colours(const std::uint32_t* red_blue, const std::uint32_t* green, const PlaneConversion& c, std::uint8_t* u,
                   std::uint8_t* v, int count) {
  HWY_DYNAMIC_DISPATCH(HalveColours)(red_blue, green, c, u, v, count);
}

}  // namespace convoscope::convert_rows
#endif
