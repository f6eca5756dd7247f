#pragma once
#include "kernels/contract/kind.h"

namespace convoscope {

extern const Kind signal_kind;

}  // namespace convoscope
