#include "analysis/where.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transports/errors.hpp"
#include "transports/units.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::string_view unset = "unset";

struct Range {
  double least, most;
};

class Condition {
 public:
  Condition(const Table& table, const std::string& text) : table_(table), text_(text) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      throw BadUsage(fmt::format("--where {}: give COLUMN=VALUE, or several values with commas between them", text));
    column_ = text.substr(0, equals);
    if (!table.has(column_)) {
      auto known = table.extra_columns();
      known.insert(known.begin(), {"transport", "collective", "algorithm", "datatype", "op", "ranks", "size_bytes"});
      throw BadUsage(fmt::format("--where {}: there is no column {}; there are {} and those of results/README.md", text,
                                 column_, fmt::join(known, ", ")));
    }
    for (std::size_t begin = equals + 1; begin <= text.size();) {
      const auto end = std::min(text.find(',', begin), text.size());
      values_.push_back(text.substr(begin, end - begin));
      add(values_.back());
      begin = end + 1;
    }
  }

  bool holds(std::size_t row) const {
    if (!table_.is_number(column_)) return words_.contains(table_.text(column_)[row]);
    const auto figure = table_.figure(row, column_);
    if (!figure) return words_.contains("");
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const Range& range) { return *figure >= range.least && *figure <= range.most; });
  }

  const std::string& column() const { return column_; }
  const std::vector<std::string>& values() const { return values_; }

  /// "Ring, Tree", to choose from.
  std::string what_there_is() const {
    const auto categories = table_.categories(column_);
    std::vector<std::string> shown;
    constexpr std::size_t enough = 12;
    for (const auto& value : categories.values) {
      if (shown.size() == enough) break;
      shown.push_back(value.empty() ? std::string(unset) : value);
    }
    return fmt::format("{}{}", fmt::join(shown, ", "), categories.values.size() > enough ? ", …" : "");
  }

 private:
  void add(const std::string& value) {
    if (value.empty()) throw BadUsage(fmt::format("--where {}: a value is empty; for empty cells give unset", text_));
    if (value == unset) {
      words_.insert("");
    } else if (!table_.is_number(column_)) {
      words_.insert(value);
    } else if (const auto dots = value.find(".."); dots == std::string::npos) {
      const double exactly = number(value);
      ranges_.push_back({exactly, exactly});
    } else {
      constexpr auto unbounded = std::numeric_limits<double>::infinity();
      if (value == "..") throw BadUsage(fmt::format("--where {}: give a range one end at the least: 64K..", text_));
      const Range range{dots == 0 ? -unbounded : number(value.substr(0, dots)),
                        dots + 2 == value.size() ? unbounded : number(value.substr(dots + 2))};
      if (range.least > range.most) throw BadUsage(fmt::format("--where {}: {} begins above its end", text_, value));
      ranges_.push_back(range);
    }
  }

  double number(const std::string& value) const {
    double result{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error == std::errc() && end == value.data() + value.size() && std::isfinite(result)) return result;
    if (const auto size = parse_size(value)) return static_cast<double>(*size);
    throw BadUsage(fmt::format("--where {}: '{}' is no number; give one such as 4, 64K or 64K..16M", text_, value));
  }

  const Table& table_;
  std::string text_, column_;
  std::vector<std::string> values_;
  std::set<std::string> words_;
  std::vector<Range> ranges_;
};

std::vector<std::size_t> rows_of(const Table& table, const Condition& condition) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (condition.holds(row)) rows.push_back(row);
  }
  return rows;
}

}  // namespace

void keep_where(Table& table, const std::vector<std::string>& conditions) {
  for (const auto& text : conditions) {
    const Condition condition(table, text);
    for (const auto& value : condition.values()) {
      if (rows_of(table, Condition(table, condition.column() + "=" + value)).empty())
        throw BadUsage(fmt::format("--where {}: no row{} has {}={}; {} is one of: {}", text,
                                   &text == &conditions.front() ? "" : " that is left", condition.column(), value,
                                   condition.column(), condition.what_there_is()));
    }
    table.keep(rows_of(table, condition));
  }
}

}  // namespace ringmark::analysis
