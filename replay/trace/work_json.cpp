#include "replay/trace/work_json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ringmark::replay {
namespace {

std::optional<Operator> read_operator(const nlohmann::json& list) {
  if (!list.is_array() || list.empty() || !list[0].is_string()) return std::nullopt;
  const auto kind = parse_operator_kind(list[0].get<std::string>());
  if (!kind) return std::nullopt;
  Operator result{*kind};
  std::vector<double*> lengths{&result.rows, &result.columns};
  if (result.kind != Operator::Kind::loss) lengths.push_back(&result.inner);
  if (result.kind == Operator::Kind::attention) lengths.push_back(&result.heads);
  const bool has_window = result.kind == Operator::Kind::attention && list.size() == lengths.size() + 2;
  if (has_window) lengths.push_back(&result.window);
  if (list.size() != lengths.size() + 1) return std::nullopt;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto& length = list[i + 1];
    if (!length.is_number() || length.get<double>() < 1 || length.get<double>() > 1e15) return std::nullopt;
    *lengths[i] = length.get<double>();
  }
  return result;
}

void read_operators(const Json& list, const JsonLines& lines, Event& event) {
  constexpr std::size_t most_operators = 64;
  if (!list.is_array() || list.size() > most_operators)
    lines.refuse("ops: expected a list of at most {}", most_operators);
  for (const auto& each : list) {
    const auto found = read_operator(each);
    if (!found)
      lines.refuse(
          "ops: expected [\"product\", rows, columns, inner], [\"attention\", tokens, sequence, width, heads] "
          "optionally followed by a window, or [\"loss\", tokens, vocabulary], found {}",
          each.dump());
    event.operators.push_back(*found);
  }
}

}  // namespace

void add_work(const Event& event, nlohmann::ordered_json& json) {
  if (event.time_us) json["us"] = *event.time_us;
  if (event.flops > 0) json["fl"] = event.flops;
  if (event.memory_bytes > 0 || (!event.time_us && event.flops <= 0)) json["by"] = event.memory_bytes;
  if (!event.is_launched) json["launched"] = false;
  if (event.host_us > 0) json["host"] = event.host_us;
  for (const auto& each : event.operators) {
    nlohmann::ordered_json list{name(each.kind), each.rows, each.columns};
    if (each.kind != Operator::Kind::loss) list.push_back(each.inner);
    if (each.kind == Operator::Kind::attention) list.push_back(each.heads);
    if (each.window > 0) list.push_back(each.window);
    json["ops"].push_back(std::move(list));
  }
}

void read_work(const Json& json, const std::string& kind, const JsonLines& lines, Event& event) {
  if (json.contains("us")) event.time_us = lines.amount(json, "us");
  if (json.contains("fl")) event.flops = lines.amount(json, "fl");
  if (json.contains("by")) event.memory_bytes = lines.amount(json, "by");
  event.is_launched = lines.truth_or(json, "launched", true);
  if (json.contains("host")) event.host_us = lines.amount(json, "host");
  if (json.contains("ops")) read_operators(json["ops"], lines, event);
  if (!json.contains("us") && !json.contains("fl") && !json.contains("by"))
    lines.refuse("us, fl or by: missing; a {} needs a time, or the work to compute it from", kind);
}

void read_counts(const Json& json, int group_ranks, const JsonLines& lines, Event& event) {
  const auto n = static_cast<std::size_t>(group_ranks);
  const bool is_list = json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& each) {
                         return each.is_number_unsigned() && each.get<std::uint64_t>() <= most_elements;
                       });
  if (event.collective != Collective::all_to_all || !is_list || (json.size() != n && json.size() != n * n))
    lines.refuse(
        "counts: expected {} numbers of elements that each rank of an all_to_all sends, or {} for each of {} ranks", n,
        n, n);
  event.counts = json.get<std::vector<std::uint64_t>>();
  event.counts_ranks = group_ranks;
}

}  // namespace ringmark::replay
