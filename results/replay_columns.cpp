#include "results/replay_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "base/option.hpp"
#include "results/csv.hpp"

namespace ringmark {
namespace {

/// The words of a list, which a blank separates.
template <class Visit>
void for_each_word(std::string_view cell, Visit visit) {
  while (!cell.empty()) {
    const auto end = std::min(cell.find(' '), cell.size());
    visit(cell.substr(0, end));
    cell.remove_prefix(std::min(end + 1, cell.size()));
  }
}

template <class Value>
std::string written(const Value& value, Digits /*digits*/) {
  return to_cell(value);
}
std::string written(const std::optional<double>& value, Digits digits) { return value ? to_cell(*value, digits) : ""; }
std::string written(const std::vector<double>& values, Digits digits) {
  std::string cell;
  for (const double value : values) cell += (cell.empty() ? "" : " ") + to_cell(value, digits);
  return cell;
}
std::string written(const std::map<int, double>& by_rank, Digits digits) {
  std::string cell;
  for (const auto& [rank, factor] : by_rank)
    cell += fmt::format("{}{}={}", cell.empty() ? "" : " ", rank, to_cell(factor, digits));
  return cell;
}

template <class Value>
void read(std::string_view cell, Value& to) {
  from_cell(cell, to);
}
void read(std::string_view cell, std::vector<double>& to) {
  to.clear();
  for_each_word(cell, [&](std::string_view word) { from_cell(word, to.emplace_back()); });
}
void read(std::string_view cell, std::map<int, double>& to) {
  to.clear();
  for_each_word(cell, [&](std::string_view word) {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) throw CsvError(fmt::format("'{}' is no factor of a rank", word));
    int rank = 0;
    from_cell(word.substr(0, equals), rank);
    from_cell(word.substr(equals + 1), to[rank]);
  });
}

template <class Value>
TypedCell typed(const Value& value, Digits digits) {
  if constexpr (std::is_integral_v<Value>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return digits == Digits::whole ? TypedCell(static_cast<std::int64_t>(std::round(value))) : TypedCell(value);
  } else {
    auto text = written(value, digits);
    return text.empty() ? TypedCell() : TypedCell(std::move(text));
  }
}
template <class Value>
TypedCell typed(const std::optional<Value>& value, Digits digits) {
  return value ? typed(*value, digits) : TypedCell();
}

template <auto member, Digits digits>
constexpr ReplayColumn column(std::string_view name, bool is_figure, std::string_view flag) {
  return {name,
          is_figure,
          flag,
          [](const StepResult& step) { return written(step.*member, digits); },
          [](const StepResult& step) { return typed(step.*member, digits); },
          [](std::string_view cell, StepResult& step) { read(cell, step.*member); }};
}
template <auto member, Digits digits = Digits::six>
constexpr ReplayColumn figure(std::string_view name) {
  return column<member, digits>(name, true, name);
}
template <auto member, Digits digits = Digits::shortest>
constexpr ReplayColumn replayed(std::string_view name, std::string_view flag = {}) {
  return column<member, digits>(name, false, flag.empty() ? name : flag);
}

using Step = StepResult;
constexpr std::array columns{
    replayed<&Step::model>("model"),
    replayed<&Step::framework>("framework"),
    replayed<&Step::zero_stage>("zero_stage", "zero"),
    replayed<&Step::micro_steps>("micro_steps", "grad-accum"),
    replayed<&Step::micro_batch>("micro_batch", "micro-batch"),
    replayed<&Step::overlap>("overlap"),
    replayed<&Step::gradients>("gradients"),
    replayed<&Step::device>("device"),
    replayed<&Step::compute_used>("compute_used"),
    replayed<&Step::slow_down>("slow_down", "slow-down"),
    figure<&Step::computation_us, Digits::micro>("computation_us"),
    figure<&Step::communication_us, Digits::micro>("communication_us"),
    figure<&Step::exposed_us, Digits::micro>("exposed_us"),
    figure<&Step::hidden_us, Digits::micro>("hidden_us"),
    figure<&Step::exposed_fwd_us, Digits::micro>("exposed_fwd_us"),
    figure<&Step::exposed_bwd_us, Digits::micro>("exposed_bwd_us"),
    figure<&Step::exposed_step_us, Digits::micro>("exposed_step_us"),
    figure<&Step::hidden_fwd_us, Digits::micro>("hidden_fwd_us"),
    figure<&Step::hidden_bwd_us, Digits::micro>("hidden_bwd_us"),
    figure<&Step::hidden_step_us, Digits::micro>("hidden_step_us"),
    figure<&Step::samples_per_s>("samples_per_s"),
    figure<&Step::tokens_per_s>("tokens_per_s"),
    figure<&Step::waited_for>("waited_for"),
    figure<&Step::step_wire_bytes, Digits::whole>("step_wire_bytes"),
    figure<&Step::collectives>("collectives"),
    replayed<&Step::compute_scale>("compute_scale", "scale-compute"),
    replayed<&Step::size_scale>("size_scale", "scale-sizes"),
    figure<&Step::micro_computation_us, Digits::micro>("micro_computation_us"),
    figure<&Step::micro_exposed_us, Digits::micro>("micro_exposed_us"),
    figure<&Step::micro_hidden_us, Digits::micro>("micro_hidden_us"),
    replayed<&Step::parallelism>("parallelism"),
    figure<&Step::bubble_us, Digits::micro>("bubble_us"),
};

}  // namespace

std::span<const ReplayColumn> replay_columns() { return columns; }

const ReplayColumn* find_replay_column(std::string_view name) {
  const auto* const found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& each) { return each.name == name; });
  return found == columns.end() ? nullptr : found;
}

bool is_replay_figure(std::string_view column) {
  const auto* const found = find_replay_column(column);
  return found != nullptr && found->is_figure;
}

std::string_view replay_flag(std::string_view column) {
  const auto* const found = find_replay_column(column);
  return found == nullptr ? column : found->flag;
}

}  // namespace ringmark
