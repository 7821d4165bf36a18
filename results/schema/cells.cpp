#include "results/schema/cells.hpp"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "results/files/csv.hpp"

namespace ringmark {
namespace {

template <class Number>
Number number_of(std::string_view cell) {
  Number number{};
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc() || end != cell.data() + cell.size())
    throw CsvError(fmt::format("'{}' is not a number", cell));
  return number;
}

template <class Value>
Value named(std::string_view cell, const std::optional<Value>& value, std::string_view kind) {
  if (!value) throw CsvError(fmt::format("'{}' is not a {}", cell, kind));
  return *value;
}

/// The words of a list, separated by blanks.
template <class Visit>
void for_each_word(std::string_view cell, Visit visit) {
  while (!cell.empty()) {
    const auto end = std::min(cell.find(' '), cell.size());
    visit(cell.substr(0, end));
    cell.remove_prefix(std::min(end + 1, cell.size()));
  }
}

}  // namespace

std::string to_cell(double value, Digits digits) {
  switch (digits) {
    case Digits::six:
      break;
    case Digits::micro:
      return fmt::format("{:.3f}", value);
    case Digits::whole:
      return fmt::format("{:.0f}", value);
    case Digits::shortest:
      return fmt::format("{}", value);
  }
  return fmt::format("{:.6g}", value);
}

std::string to_cell(const Settings& settings) {
  return nlohmann::json(to_map(settings)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string to_cell(const std::vector<Caveat>& caveats) {
  std::vector<std::string> codes;
  for (const auto& caveat : caveats) codes.push_back(code_of(caveat));
  return fmt::format("{}", fmt::join(codes, " "));
}
std::string to_cell(const std::vector<double>& values, Digits digits) {
  std::vector<std::string> cells;
  for (const double value : values) cells.push_back(to_cell(value, digits));
  return fmt::format("{}", fmt::join(cells, " "));
}
std::string to_cell(const std::map<int, double>& by_rank, Digits digits) {
  std::vector<std::string> cells;
  for (const auto& [rank, factor] : by_rank) cells.push_back(fmt::format("{}={}", rank, to_cell(factor, digits)));
  return fmt::format("{}", fmt::join(cells, " "));
}

double value_of(std::string_view cell, std::type_identity<double>) { return number_of<double>(cell); }
int value_of(std::string_view cell, std::type_identity<int>) { return number_of<int>(cell); }
std::uint64_t value_of(std::string_view cell, std::type_identity<std::uint64_t>) {
  return number_of<std::uint64_t>(cell);
}
std::string value_of(std::string_view cell, std::type_identity<std::string>) { return std::string(cell); }
Settings value_of(std::string_view cell, std::type_identity<Settings>) {
  try {
    return settings_from(nlohmann::json::parse(cell).get<std::map<std::string, std::string>>());
  } catch (const nlohmann::json::exception&) {
    constexpr std::size_t shown = 40;
    throw CsvError(fmt::format("'{}' is not a JSON object with string values", cell.substr(0, shown)));
  }
}
std::vector<Caveat> value_of(std::string_view cell, std::type_identity<std::vector<Caveat>>) {
  std::vector<Caveat> caveats;
  for_each_word(cell, [&](std::string_view word) {
    const auto caveat = parse_caveat(word);
    if (!caveat) throw CsvError(fmt::format("'{}' is not a caveat code", word));
    caveats.push_back(*caveat);
  });
  return caveats;
}
std::vector<double> value_of(std::string_view cell, std::type_identity<std::vector<double>>) {
  std::vector<double> values;
  for_each_word(cell, [&](std::string_view word) { values.push_back(number_of<double>(word)); });
  return values;
}
std::map<int, double> value_of(std::string_view cell, std::type_identity<std::map<int, double>>) {
  std::map<int, double> by_rank;
  for_each_word(cell, [&](std::string_view word) {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) throw CsvError(fmt::format("'{}' is not of the form RANK=FACTOR", word));
    by_rank[number_of<int>(word.substr(0, equals))] = number_of<double>(word.substr(equals + 1));
  });
  return by_rank;
}
Pattern value_of(std::string_view cell, std::type_identity<Pattern>) {
  return named(cell, parse_pattern(cell), "pattern");
}
Company value_of(std::string_view cell, std::type_identity<Company>) {
  return named(cell, parse_company(cell), "value of beside");
}
Schema value_of(std::string_view cell, std::type_identity<Schema>) { return named(cell, parse_schema(cell), "schema"); }
Transport value_of(std::string_view cell, std::type_identity<Transport>) {
  return named(cell, parse_transport(cell), "transport");
}
Network value_of(std::string_view cell, std::type_identity<Network>) {
  return named(cell, parse_network(cell), "network");
}
MemoryKind value_of(std::string_view cell, std::type_identity<MemoryKind>) {
  return named(cell, parse_memory_kind(cell), "kind of memory");
}
Workload value_of(std::string_view cell, std::type_identity<Workload>) {
  return named(cell, parse_workload(cell), "collective, link test or training step");
}
DataType value_of(std::string_view cell, std::type_identity<DataType>) {
  return named(cell, parse_datatype(cell), "datatype");
}
ReduceOp value_of(std::string_view cell, std::type_identity<ReduceOp>) {
  return named(cell, parse_reduce_op(cell), "reduction");
}
Timing value_of(std::string_view cell, std::type_identity<Timing>) { return named(cell, parse_timing(cell), "timing"); }
Start value_of(std::string_view cell, std::type_identity<Start>) { return named(cell, parse_start(cell), "start"); }
StopReason value_of(std::string_view cell, std::type_identity<StopReason>) {
  return named(cell, parse_stop_reason(cell), "stop reason");
}
Status value_of(std::string_view cell, std::type_identity<Status>) { return named(cell, parse_status(cell), "status"); }
ComputeMode value_of(std::string_view cell, std::type_identity<ComputeMode>) {
  return named(cell, parse_compute_mode(cell), "compute mode");
}

}  // namespace ringmark
