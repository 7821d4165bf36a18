// Values of a row of results that cannot be true: a row that was damaged or edited is refused instead of believed.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/schema/workload.hpp"

namespace ringmark {

struct ImpossibleValue {
  std::string_view column;
  std::string why;
};

/// Finds such values in the rows of a table with this header. Works on the text of cells, since the number of printed
/// digits limits how far a rate may deviate from its time. Cells of the wrong type are left to the reader of the
/// column.
class ImpossibleValues {
 public:
  explicit ImpossibleValues(const std::vector<std::string>& header);

  /// The first impossible value: a date that does not exist, a time that no clock measures, times in an order that no
  /// samples have, a measurement of 0 ranks, elements of 0 bytes, or a rate that does not follow from the size and the
  /// median.
  std::optional<ImpossibleValue> find(Schema schema, const std::vector<std::string_view>& cells) const;

 private:
  static constexpr auto absent = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> places_;  ///< index in the header of each checked column
};

}  // namespace ringmark
