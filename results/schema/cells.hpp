// Conversion of values to table cells and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// How many digits a number has in its cell.
enum class Digits {
  six,       ///< more than any clock or network can reproduce
  micro,     ///< three decimals, for microseconds
  whole,     ///< no decimals
  shortest,  ///< as many as identify the number exactly
};

std::string to_cell(double value, Digits digits = Digits::six);
inline std::string to_cell(int value) { return std::to_string(value); }
inline std::string to_cell(std::uint64_t value) { return std::to_string(value); }
inline std::string to_cell(const std::string& text) { return text; }
std::string to_cell(const Settings& settings);
std::string to_cell(const std::vector<Caveat>& caveats);
/// Values that are written as their names.
template <class Value>
concept IsNamed = std::is_enum_v<Value> || std::is_same_v<Value, Network> || std::is_same_v<Value, Workload>;
template <IsNamed Value>
std::string to_cell(const Value& value) {
  return std::string(name(value));
}
template <class Value>
std::string to_cell(const std::optional<Value>& value) {
  return value ? to_cell(*value) : "";
}
/// "25.000 26.500"
std::string to_cell(const std::vector<double>& values, Digits digits);
/// "0=1.2 3=2", by rank.
std::string to_cell(const std::map<int, double>& by_rank, Digits digits);
inline std::string to_cell(const std::optional<double>& value, Digits digits) {
  return value ? to_cell(*value, digits) : "";
}
/// Digits apply only to fractional numbers.
template <class Value>
std::string to_cell(const Value& value, Digits /*digits*/) {
  return to_cell(value);
}
/// "float32,int8".
template <class Value>
std::string to_cell(const Listed<Value>& values) {
  std::string cell;
  for (const auto& value : values.all()) cell += (cell.empty() ? "" : ",") + to_cell(value);
  return cell;
}

/// A value for formats that have types. A list becomes text.
using TypedCell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Parses a cell written by to_cell. Throws CsvError for anything else.
double value_of(std::string_view cell, std::type_identity<double>);
int value_of(std::string_view cell, std::type_identity<int>);
std::uint64_t value_of(std::string_view cell, std::type_identity<std::uint64_t>);
std::string value_of(std::string_view cell, std::type_identity<std::string>);
Settings value_of(std::string_view cell, std::type_identity<Settings>);
std::vector<Caveat> value_of(std::string_view cell, std::type_identity<std::vector<Caveat>>);
std::vector<double> value_of(std::string_view cell, std::type_identity<std::vector<double>>);
std::map<int, double> value_of(std::string_view cell, std::type_identity<std::map<int, double>>);
Pattern value_of(std::string_view cell, std::type_identity<Pattern>);
Company value_of(std::string_view cell, std::type_identity<Company>);
Schema value_of(std::string_view cell, std::type_identity<Schema>);
Transport value_of(std::string_view cell, std::type_identity<Transport>);
Network value_of(std::string_view cell, std::type_identity<Network>);
MemoryKind value_of(std::string_view cell, std::type_identity<MemoryKind>);
Workload value_of(std::string_view cell, std::type_identity<Workload>);
DataType value_of(std::string_view cell, std::type_identity<DataType>);
ReduceOp value_of(std::string_view cell, std::type_identity<ReduceOp>);
Timing value_of(std::string_view cell, std::type_identity<Timing>);
Start value_of(std::string_view cell, std::type_identity<Start>);
StopReason value_of(std::string_view cell, std::type_identity<StopReason>);
Status value_of(std::string_view cell, std::type_identity<Status>);
ComputeMode value_of(std::string_view cell, std::type_identity<ComputeMode>);

template <class Value>
void from_cell(std::string_view cell, Value& to) {
  to = value_of(cell, std::type_identity<Value>());
}
template <class Value>
void from_cell(std::string_view cell, std::optional<Value>& to) {
  to.reset();
  if (!cell.empty()) to = value_of(cell, std::type_identity<Value>());
}
template <class Value>
void from_cell(std::string_view cell, Listed<Value>& to) {
  std::vector<Value> values;
  while (!cell.empty()) {
    const auto end = std::min(cell.find(','), cell.size());
    values.push_back(value_of(cell.substr(0, end), std::type_identity<Value>()));
    cell.remove_prefix(std::min(end + 1, cell.size()));
  }
  to = Listed<Value>(std::move(values));
}

}  // namespace ringmark
