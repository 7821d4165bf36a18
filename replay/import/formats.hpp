// The formats that import reads. All throw nlohmann::json::exception if the whole file does not have the format's
// shape.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/import/import.hpp"

namespace ringmark::replay {

Imported import_execution_trace(const nlohmann::json& json);
Imported import_kineto(const nlohmann::json& json);
Imported import_param(const nlohmann::json& json);
Imported import_flight_recorder(const nlohmann::json& json);
std::vector<std::pair<std::string, Imported>> import_capture(const std::string& text);
/// The recordings by process, "host:pid".
std::vector<std::pair<std::string, Imported>> import_nccl_log(const std::string& text);
bool looks_like_nccl_log(const std::string& text);

/// Reads one record of a recording. A record whose fields have wrong types is counted and skipped.
template <class Take>
void take_record(Imported& imported, Take take) {
  try {
    take();
  } catch (const nlohmann::json::exception&) {
    ++imported.not_understood["record with a field of the wrong type"];
  }
}

/// Understands all spellings: "allreduce", "_allgather_base", "c10d::reduce_scatter_", "all_to_allv".
std::optional<Collective> collective_named(std::string_view text);
/// Understands PyTorch's spellings in any of its traces: "Float", "c10::BFloat16", "Tensor(float)".
std::optional<DataType> type_named(std::string_view text);
/// A count, as a number or (in some versions) as text; nothing if it is missing or neither.
std::optional<std::uint64_t> number_in(const nlohmann::json& object, const char* key);
/// A rank or a number of ranks; -1 if missing. For rooted collectives PyTorch puts the root in place of the rank.
int rank_in(const nlohmann::json& object, const char* key);
/// A list of ranks; empty if `list` is not one.
std::vector<int> ranks_in(const nlohmann::json& list);
/// The total elements that a rank passed to a call and got from it.
struct Sizes {
  std::uint64_t in = 0, out = 0;
  std::string parts;  ///< for all_to_all: "[4, 4]"; empty if unknown

  /// The number for Call::elements.
  std::uint64_t full(Collective collective) const;
  bool are_uneven(Collective collective) const;
  /// For Call::parts. Recordings count parts in rows of the tensor.
  std::vector<std::uint64_t> sent_parts(Collective collective) const;
};
/// The elements that a rank sends to each rank, from the rows that it sends to each. All rows of its tensor have the
/// same number of elements. Empty if `elements` do not divide evenly over the rows, or `rows` is not a list of counts.
std::vector<std::uint64_t> parts_of_rows(const nlohmann::json& rows, std::uint64_t elements);
/// True for a list of numbers that are not all the same: "[3, 5]".
bool are_uneven_parts(const nlohmann::json& parts);
/// Reads the sizes. `in`, `out` and `parts` are the format's keys for them.
Sizes sizes_in(const nlohmann::json& object, const char* in, const char* out, const char* parts);

}  // namespace ringmark::replay
