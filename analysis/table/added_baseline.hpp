// Rows that were added to a table to compare others with.
#pragma once

#include <string>

namespace ringmark::analysis {

struct AddedBaseline {
  std::string file;  ///< their value in the column `file`
  std::string note;  ///< where they come from, for a person
};

}  // namespace ringmark::analysis
