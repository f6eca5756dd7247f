#pragma once
// What many times of one thing say.
#include <vector>

namespace convoscope {

struct Spread {  // milliseconds
  double median = 0, p05 = 0, p95 = 0, min = 0;
  int samples = 0;
};
// Of a time that grows evenly with the rows: where it begins. At least 0; measured on `rows` and on a part of them.
double fixed_part(double milliseconds, int rows, double part_milliseconds, int part_rows);
Spread spread(std::vector<double> samples);  // all zero when empty; percentiles by linear interpolation

}  // namespace convoscope
