// The formats that import reads. All throw nlohmann::json::exception for a whole that is not shaped as the format has
// it.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/import/import.hpp"

namespace ringmark::replay {

Imported import_execution_trace(const nlohmann::json& json);
Imported import_kineto(const nlohmann::json& json);
Imported import_param(const nlohmann::json& json);
std::vector<std::pair<std::string, Imported>> import_capture(const std::string& text);
/// By process, "host:pid".
std::vector<std::pair<std::string, Imported>> import_nccl_log(const std::string& text);
bool looks_like_nccl_log(const std::string& text);

/// Takes in one record of a recording. One whose fields are not what the format has there is counted, and left out.
template <class Take>
void take_record(Imported& imported, Take take) {
  try {
    take();
  } catch (const nlohmann::json::exception&) {
    ++imported.not_understood["record with a field of another kind"];
  }
}

/// "allreduce", "_allgather_base", "c10d::reduce_scatter_", "all_to_allv": all spellings of one thing.
std::optional<Collective> collective_named(std::string_view text);
/// As PyTorch spells types in any of its traces: "Float", "c10::BFloat16", "Tensor(float)".
std::optional<DataType> type_named(std::string_view text);
/// A count, which is a text in some versions; nothing if it is not there, or neither.
std::optional<std::uint64_t> number_in(const nlohmann::json& object, const char* key);
/// A rank or a number of ranks; -1 if it is not told. PyTorch has the root of rooted collectives in the place of the
/// own rank.
int rank_in(const nlohmann::json& object, const char* key);
/// A list of ranks; empty if it is none.
std::vector<int> ranks_in(const nlohmann::json& list);
/// Elements of a call in whole, as a rank gave and got them.
struct Sizes {
  std::uint64_t in = 0, out = 0;
  std::string parts;  ///< "[4, 4]", of an all_to_all; empty if not told

  /// As Call counts them.
  std::uint64_t full(Collective collective) const;
  bool are_uneven(Collective collective) const;
};
/// By the names that a format has for them.
Sizes sizes_in(const nlohmann::json& object, const char* in, const char* out, const char* parts);

}  // namespace ringmark::replay
