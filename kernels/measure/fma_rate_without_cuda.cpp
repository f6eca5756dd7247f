#include "kernels/measure/fma_rate.h"

namespace convoscope {

double cuda_fma_rate(Compute&) { return 0; }

}  // namespace convoscope
