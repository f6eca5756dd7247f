#pragma once
// Measures one part of an experiment: all of its strategies in the same rounds, as bench does.
#include <functional>
#include <nlohmann/json.hpp>

#include "app/cli/experiment/experiment.h"
#include "kernels/compute/compute.h"

namespace convoscope {

// {"on": what the rows have in common, "rows": a row of bench for each entry of the part}. In the calling thread, for
// seconds to minutes; given up where that is asked to stop, and then not to be used. Throws Error when the device has
// failed. `progress` is called with what is being done.
nlohmann::ordered_json measure_part(Compute&, const Experiment&, const ExperimentPart&, const DeviceLimits&,
                                    const std::function<void(const std::string&)>& progress);

}  // namespace convoscope
