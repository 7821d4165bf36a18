// A text that a spreadsheet assembles from its cells, with its current value.
#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "analysis/plan/formulas.hpp"

namespace ringmark::analysis {

class LiveText {
 public:
  LiveText& say(const std::string& words) { return say_cell(quoted(words), words); }
  /// `expression` has the value `now`.
  LiveText& say_cell(const std::string& expression, const std::string& now) {
    formula_ += (formula_.empty() ? "" : "&") + expression;
    now_ += now;
    return *this;
  }
  LiveText& append(const LiveText& words) { return say_cell(words.formula_, words.now_); }
  /// `condition` is an expression whose value is `is_so` now.
  LiveText& say_if(const std::string& condition, bool is_so, const LiveText& words) {
    return say_cell("IF(" + condition + "," + words.formula_ + ",\"\")", is_so ? words.now_ : "");
  }

  /// Without the equals sign.
  const std::string& formula() const { return formula_; }
  const std::string& now() const { return now_; }

 private:
  std::string formula_, now_;
};

/// A number as FIXED() writes it, with commas between thousands.
inline LiveText live_number(const std::string& cell, int decimals, double now) {
  auto digits = fmt::format("{:.{}f}", now, decimals);
  const auto point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3; at -= 3) digits.insert(at - 3, ",");
  return LiveText().say_cell(fmt::format("FIXED({},{})", cell, decimals), digits);
}

}  // namespace ringmark::analysis
