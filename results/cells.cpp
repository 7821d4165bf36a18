#include "results/cells.hpp"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/csv.hpp"

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
  if (!value) throw CsvError(fmt::format("'{}' is no {}", cell, kind));
  return *value;
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

std::string to_cell(const std::map<std::string, std::string>& settings) {
  return nlohmann::json(settings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double value_of(std::string_view cell, std::type_identity<double>) { return number_of<double>(cell); }
int value_of(std::string_view cell, std::type_identity<int>) { return number_of<int>(cell); }
std::uint64_t value_of(std::string_view cell, std::type_identity<std::uint64_t>) {
  return number_of<std::uint64_t>(cell);
}
std::string value_of(std::string_view cell, std::type_identity<std::string>) { return std::string(cell); }
RunId value_of(std::string_view cell, std::type_identity<RunId>) { return parse_run_id(cell); }
Detail value_of(std::string_view cell, std::type_identity<Detail>) { return cell; }
std::map<std::string, std::string> value_of(std::string_view cell,
                                            std::type_identity<std::map<std::string, std::string>>) {
  try {
    return nlohmann::json::parse(cell).get<std::map<std::string, std::string>>();
  } catch (const nlohmann::json::exception&) {
    throw CsvError(fmt::format("'{}' is not a JSON object with string values", cell));
  }
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
  return named(cell, parse_stop_reason(cell), "reason to stop");
}
Status value_of(std::string_view cell, std::type_identity<Status>) { return named(cell, parse_status(cell), "status"); }
ComputeMode value_of(std::string_view cell, std::type_identity<ComputeMode>) {
  return named(cell, parse_compute_mode(cell), "way to play computations");
}

}  // namespace ringmark
