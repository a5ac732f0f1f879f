#pragma once

#include <string>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// A text for Graphviz.
std::string dot_of(const Anomaly& anomaly, const Names& names);

/// A picture that stands on its own: transactions on a circle, arrows with their kind and row.
std::string svg_of(const Anomaly& anomaly, const Names& names);

/// Text inside XML or HTML, of whatever origin.
std::string escaped(std::string_view text);

}  // namespace isotap::analysis
