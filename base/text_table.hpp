// Aligned columns for a terminal.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

/// Lines of cells, the first of them the heading. Columns whose heading begins with '>' are aligned to the right.
std::string print_table(std::vector<std::vector<std::string>> lines);

/// Three digits that count: "0.1195", "12.3", "4567".
std::string short_number(double value);

}  // namespace ringmark
