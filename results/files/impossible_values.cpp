#include "results/files/impossible_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "base/operation.hpp"
#include "base/text/names.hpp"
#include "base/units.hpp"
#include "results/files/provenance.hpp"
#include "results/schema/printed_number.hpp"
#include "results/schema/status.hpp"

namespace ringmark {
namespace {

enum class Checked : std::uint8_t {
  time_utc,
  collective,
  ranks,
  size_bytes,
  count_of_elements,
  status,
  wrong_elements,
  settings,
  least,
  interval_low,
  median,
  interval_high,
  p95,
  p99,
  most,
  mean,
  algbw,
  busbw_low,
  busbw,
  busbw_high
};
constexpr auto checked_names = names_up_to<Checked::busbw_high>(
    "time_utc", "collective", "ranks", "size_bytes", "count", "status", "wrong_elements", "settings", "time_us_min",
    "time_us_ci_low", "time_us_p50", "time_us_ci_high", "time_us_p95", "time_us_p99", "time_us_max", "time_us_mean",
    "algbw_GBps", "busbw_GBps_ci_low", "busbw_GBps", "busbw_GBps_ci_high");

std::optional<double> finite_number(std::string_view cell) {
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  const bool is_number = error == std::errc() && end == cell.data() + cell.size() && std::isfinite(number);
  return is_number ? std::optional(number) : std::nullopt;
}

class CheckedRow {
  using enum Checked;

 public:
  CheckedRow(std::span<const std::size_t> places, const std::vector<std::string_view>& cells)
      : places_(places), cells_(cells) {}

  /// Empty if the table lacks the column.
  std::string_view cell(Checked column) const {
    const auto place = places_[static_cast<std::size_t>(column)];
    return place < cells_.size() ? cells_[place] : std::string_view();
  }

  std::optional<ImpossibleValue> date() const {
    if (cell(time_utc).empty() || parse_utc(cell(time_utc))) return std::nullopt;
    return impossible(time_utc, "is not a time such as 2026-11-21T06:11:57Z");
  }

  std::optional<ImpossibleValue> time() const {
    constexpr double most_us = 1e13;  // four months
    for (const auto column : {least, interval_low, median, interval_high, p95, p99, most, mean}) {
      const auto time_us = finite_number(cell(column));
      if (time_us && !(*time_us > 0 && *time_us <= most_us))
        return impossible(column, fmt::format("is not a time above 0 and up to {:.0e} µs", most_us));
    }
    return std::nullopt;
  }

  /// The columns from least to greatest.
  std::optional<ImpossibleValue> order(std::initializer_list<Checked> columns) const {
    std::optional<double> before;
    auto column_before = time_utc;
    for (const auto column : columns) {
      const auto value = finite_number(cell(column));
      if (!value) continue;
      if (before && *value < *before)
        return impossible(column, fmt::format("is less than {} {}", name_of(column_before), cell(column_before)));
      before = value;
      column_before = column;
    }
    return std::nullopt;
  }

  std::optional<ImpossibleValue> nothing() const {
    if (cell(status) == name(Status::ok) && !cell(median).empty() && finite_number(cell(ranks)) == 0.0)
      return impossible(ranks, "ranks cannot have measured a time");
    if (cell(status) == name(Status::ok) && finite_number(cell(wrong_elements)).value_or(0) > 0)
      return impossible(wrong_elements, "contradicts status ok");
    if (finite_number(cell(size_bytes)) == 0.0 && finite_number(cell(count_of_elements)).value_or(0) > 0)
      return impossible(size_bytes, fmt::format("contradicts count {}", cell(count_of_elements)));
    return std::nullopt;
  }

  std::optional<ImpossibleValue> rate(Checked column, double bytes) const {
    // Most rows agree this closely, so the tolerance, which takes longer to compute, is rarely needed.
    constexpr double surely = 1e-4;
    const auto exact_us = finite_number(cell(median)), exact_GBps = finite_number(cell(column));
    if (!exact_us || !exact_GBps) return std::nullopt;
    const double of_time = bytes / bytes_per_us_per_GBps, of_rate = *exact_us * *exact_GBps;
    if (std::abs(of_time - of_rate) <= surely * of_time) return std::nullopt;
    const auto time_us = printed_number(cell(median)), GBps = printed_number(cell(column));
    if (!time_us || !GBps || may_belong(bytes, *time_us, *GBps)) return std::nullopt;
    return impossible(column,
                      fmt::format("contradicts size_bytes {} and time_us_p50 {}", cell(size_bytes), cell(median)));
  }

  std::optional<ImpossibleValue> rates(Schema schema) const {
    const auto bytes = finite_number(cell(size_bytes));
    if (!bytes || schema == Schema::replay) return std::nullopt;
    if (auto found = rate(algbw, *bytes)) return found;
    const auto factor = factor_of(schema);
    return factor ? rate(busbw, *bytes * *factor) : std::nullopt;
  }

 private:
  /// busbw over algbw. Empty for blocks of unequal sizes, whose factor depends on the size of every block.
  std::optional<double> factor_of(Schema schema) const {
    if (schema == Schema::link) return 1;
    const auto of = parse_collective(cell(collective));
    const auto all = finite_number(cell(ranks)).value_or(0);
    if (!of || all < 1 || cell(settings).find("\"counts\"") != std::string_view::npos) return std::nullopt;
    return bus_factor(*of, static_cast<int>(std::min<double>(all, std::numeric_limits<int>::max())));
  }

  static std::string_view name_of(Checked column) { return checked_names.of(column); }

  ImpossibleValue impossible(Checked column, std::string_view why) const {
    return {name_of(column), fmt::format("'{}' {}", cell(column), why)};
  }

  std::span<const std::size_t> places_;
  const std::vector<std::string_view>& cells_;
};

}  // namespace

ImpossibleValues::ImpossibleValues(const std::vector<std::string>& header)
    : places_(static_cast<std::size_t>(Checked::busbw_high) + 1, absent) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (const auto column = checked_names.find(header[i])) places_[static_cast<std::size_t>(*column)] = i;
  }
}

std::optional<ImpossibleValue> ImpossibleValues::find(Schema schema, const std::vector<std::string_view>& cells) const {
  using enum Checked;
  const CheckedRow row(places_, cells);
  if (auto found = row.date()) return found;
  if (auto found = row.time()) return found;
  if (auto found = row.nothing()) return found;
  if (auto found = row.rates(schema)) return found;
  if (auto found = row.order({least, interval_low, median, interval_high, most})) return found;
  if (auto found = row.order({median, p95, p99, most})) return found;
  if (auto found = row.order({least, mean, most})) return found;
  return row.order({busbw_low, busbw, busbw_high});
}

}  // namespace ringmark
