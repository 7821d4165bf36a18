// Aligned columns for a terminal.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

/// Rows of cells, starting with the headings. Columns whose heading begins with '>' are right-aligned.
std::string print_table(std::vector<std::vector<std::string>> lines);

/// Three significant digits: "0.1195", "12.3", "4567".
std::string short_number(double value);

}  // namespace ringmark
