#pragma once
// What was found of kernel files, as text, JSON and CSV.
#include <span>
#include <string>

#include "kernels/own/grade.h"

namespace convoscope {

std::string first_finding(const own::Grade&);  // one line; empty: nothing
std::string grade_text(const own::Grade&, const own::GradeOptions&);
std::string grades_json(std::span<const own::Grade>, const own::GradeOptions&);
std::string grades_csv(std::span<const own::Grade>);

}  // namespace convoscope
