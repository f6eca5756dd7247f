#pragma once
// A lesson with its numbers in it, as JSON: for the window's card, and for whoever shows lessons in another way.
#include <nlohmann/json.hpp>
#include <optional>

#include "app/lessons/lesson.h"
#include "app/lessons/values.h"

namespace convoscope::lessons {

inline constexpr int lesson_json_version = 1;

// All steps by their titles; with their texts, sessions and questions those of `step` (from 0), or all of them. Throws
// Error where a number cannot be had, or there is no such step.
nlohmann::ordered_json lesson_json(const Lesson&, Values&, std::optional<int> step);

}  // namespace convoscope::lessons
