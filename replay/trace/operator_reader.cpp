#include "replay/trace/operator_reader.hpp"

#include <string>
#include <vector>

namespace ringmark::replay {

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

}  // namespace ringmark::replay
