#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>
#include <utility>

#include "base/flags/option.hpp"
#include "base/text/spelling.hpp"
#include "replay/import/formats.hpp"

namespace ringmark::replay {
std::optional<Collective> collective_named(std::string_view text) {
  auto letters = letters_of(text.substr(text.find("::") == std::string_view::npos ? 0 : text.find("::") + 2));
  for (const std::string_view suffix : {"coalesced", "base", "intotensor", "tensor", "v", "single"}) {
    if (letters.size() > suffix.size() && letters.ends_with(suffix)) letters.resize(letters.size() - suffix.size());
  }
  static const std::array<std::pair<std::string_view, Collective>, 7> names{
      {{"allreduce", Collective::all_reduce},
       {"allgather", Collective::all_gather},
       {"reducescatter", Collective::reduce_scatter},
       {"broadcast", Collective::broadcast},
       {"reduce", Collective::reduce},
       {"alltoall", Collective::all_to_all},
       {"alltoalls", Collective::all_to_all}}};
  for (const auto& [spelling, collective] : names) {
    if (letters == spelling) return collective;
  }
  return std::nullopt;
}

int rank_in(const nlohmann::json& object, const char* key) {
  constexpr std::uint64_t most = 1 << 30;
  const auto number = number_in(object, key);
  return number && *number <= most ? static_cast<int>(*number) : -1;
}

std::optional<std::uint64_t> number_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  if (!found->is_string() || !read_number(found->get<std::string>(), std::uint64_t{0}, most, value))
    return std::nullopt;
  return value;
}

std::vector<int> ranks_in(const nlohmann::json& list) {
  if (!list.is_array()) return {};
  constexpr std::uint64_t most = 1 << 20;
  std::vector<int> ranks;
  for (const auto& each : list) {
    if (!each.is_number_unsigned() || each.get<std::uint64_t>() > most) return {};
    ranks.push_back(each.get<int>());
  }
  return ranks;
}

/// Booleans are bytes, as PyTorch hands them to NCCL.
std::optional<DataType> type_named(std::string_view text) {
  auto letters = std::string(text);
  if (const auto inner = letters.rfind("Tensor("); inner != std::string::npos)
    letters = letters.substr(inner + 7, letters.find(')', inner) - inner - 7);
  if (const auto colons = letters.rfind("::"); colons != std::string::npos) letters = letters.substr(colons + 2);
  std::transform(letters.begin(), letters.end(), letters.begin(), [](unsigned char c) { return std::tolower(c); });
  static const std::array<std::pair<std::string_view, DataType>, 6> names{{{"long", DataType::int64},
                                                                           {"bool", DataType::uint8},
                                                                           {"long int", DataType::int64},
                                                                           {"byte", DataType::uint8},
                                                                           {"unsigned char", DataType::uint8},
                                                                           {"signed char", DataType::int8}}};
  for (const auto& [spelling, type] : names) {
    if (letters == spelling) return type;
  }
  return parse_datatype(letters);
}

std::uint64_t Sizes::full(Collective collective) const { return collective == Collective::all_gather ? out : in; }

bool Sizes::are_uneven(Collective collective) const {
  if (collective != Collective::all_to_all) return false;
  const bool sends_nothing = in == 0 && !sent_parts(collective).empty();
  return sends_nothing || in != out || are_uneven_parts(nlohmann::json::parse(parts, nullptr, false));
}

std::vector<std::uint64_t> Sizes::sent_parts(Collective collective) const {
  if (collective != Collective::all_to_all) return {};
  return parts_of_rows(nlohmann::json::parse(parts, nullptr, false), in);
}

std::vector<std::uint64_t> parts_of_rows(const nlohmann::json& rows, std::uint64_t elements) {
  if (!rows.is_array() || rows.size() > std::size_t{most_ranks}) return {};
  std::vector<std::uint64_t> parts;
  std::uint64_t sum = 0;
  for (const auto& each : rows) {
    if (!each.is_number_unsigned() || each.get<std::uint64_t>() > most_elements) return {};
    parts.push_back(each.get<std::uint64_t>());
    sum += parts.back();
  }
  if (sum == 0 && elements == 0) return parts;  // the rank sends nothing
  if (sum == 0 || elements % sum != 0) return {};
  for (auto& part : parts) part *= elements / sum;
  return parts;
}

bool are_uneven_parts(const nlohmann::json& parts) {
  const auto is_number = [](const auto& each) { return each.is_number(); };
  return parts.is_array() && std::all_of(parts.begin(), parts.end(), is_number) &&
         std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) != parts.end();
}

Sizes sizes_in(const nlohmann::json& object, const char* in, const char* out, const char* parts) {
  const auto found = object.find(parts);
  std::string text;
  if (found != object.end()) text = found->is_string() ? found->get<std::string>() : found->dump();
  return {number_in(object, in).value_or(0), number_in(object, out).value_or(0), text};
}

}  // namespace ringmark::replay
