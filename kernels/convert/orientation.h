#pragma once
// How a stored picture is turned and mirrored to be seen upright: the eight ways in which a rectangle covers itself.
#include <array>

namespace convoscope {

// First each row is mirrored, or not, and each column; then rows may become columns. Its default is upright.
struct Orientation {
  bool mirrors_x = false, mirrors_y = false;
  bool exchanges_sides = false;  // the upright picture is as wide as the stored one is high
  bool operator==(const Orientation&) const = default;

  // The numbers of EXIF's and TIFF's tag 274, 1 … 8; any other says nothing: upright.
  static constexpr Orientation of_exif(int tag);
  constexpr int exif() const;
  static constexpr Orientation of_quarters(int clockwise);  // of a turn; any number, also negative
};

namespace orientation_detail {
inline constexpr std::array<Orientation, 8> by_exif = {{{false, false, false},
                                                        {true, false, false},
                                                        {true, true, false},
                                                        {false, true, false},
                                                        {false, false, true},
                                                        {false, true, true},
                                                        {true, true, true},
                                                        {true, false, true}}};
}

constexpr Orientation Orientation::of_exif(int tag) {
  return tag >= 1 && tag <= 8 ? orientation_detail::by_exif[static_cast<std::size_t>(tag - 1)] : Orientation();
}

constexpr int Orientation::exif() const {
  int tag = 1;
  while (of_exif(tag) != *this) ++tag;
  return tag;
}

constexpr Orientation Orientation::of_quarters(int clockwise) {
  constexpr int tags[] = {1, 6, 3, 8};
  return of_exif(tags[(clockwise % 4 + 4) % 4]);
}

}  // namespace convoscope
