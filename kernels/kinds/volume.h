#pragma once
#include "kernels/contract/kind.h"

namespace convoscope {

extern const Kind volume_kind;

}  // namespace convoscope
