#pragma once
// What commands print as JSON, for whoever shows a column of it.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/arguments.h"

namespace convoscope {

// As `compute --json`. Throws Error where the numbers or options do not fit.
nlohmann::ordered_json compute_json(const Invocation&);
// As a row of `list strategies --json`: of the first strategy of this id. Throws Error where there is none.
nlohmann::ordered_json strategy_row_json(const Invocation&, const std::string& id);
// As a row of `bench --json`, of one problem, and without what holds it against the device's limits: the first of the
// ids that runs here. Takes seconds. Throws Error where none runs, or is right.
nlohmann::ordered_json measured_json(const Invocation&, const std::vector<std::string>& ids);

}  // namespace convoscope
