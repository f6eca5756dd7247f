#pragma once
// What many times of one thing say.
#include <vector>

namespace convoscope {

struct Spread {  // milliseconds
  double median = 0, p05 = 0, p95 = 0, min = 0;
  int samples = 0;
  // The median of all times that there might have been lies between these, in 95 cases of 100 at least: two of the
  // samples, counted from either end (the sign test). Fewer than six do not tell: both 0.
  double low = 0, high = 0;
  // The arithmetic mean, and where that of all times lies in 95 cases of 100 (Student's t). That takes times for
  // scattered evenly, which those of a busy machine are not. Fewer than six do not tell: both ends 0.
  double mean = 0, mean_low = 0, mean_high = 0;
};
// Of a time that grows evenly with the rows: where it begins. At least 0; measured on `rows` and on a part of them.
double fixed_part(double milliseconds, int rows, double part_milliseconds, int part_rows);
Spread spread(std::vector<double> samples);  // all zero when empty; percentiles by linear interpolation

}  // namespace convoscope
