#pragma once
// What list, verify and bench are told about problems: the rows that they share, and how those are read.
#include "app/cli/options/options.h"

namespace convoscope {

Options kind_options(const char* group, const std::string& what);  // read first of all: what else is taken hangs on it
Options shape_options(const char* group);                          // --shape, --pass, --type, --layout
Options over_options(const char* group);

const Kind& only_kind(Invocation&);  // one kind; without --kind, images. Throws Error where there are several

// Readers of rows; each takes one or several, and throws Error.
void read_filters(Reading&);
void read_borders(Reading&);
void read_formats(Reading&);
void read_sizes(Reading&);
void read_strategies(Reading&);  // of the kinds; where none is named, of all
void read_against(Reading&);
void read_radii(Reading&);
void read_taps(Reading&);
void read_samples(Reading&);
void read_tuning(Reading&);  // of the strategies that are named; where none is, of all of the kind

// A kind whose problems are shapes has neither sizes nor radii. Throws Error. Before Turn::usual.
void check_problem(const Texts&, const Kind&);

}  // namespace convoscope
