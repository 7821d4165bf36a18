#include "bench/flags/transport_options.hpp"

#include <fmt/format.h>

namespace ringmark {
namespace {

template <std::size_t... i>
constexpr bool is_in_order(std::index_sequence<i...>) {
  return ((std::tuple_element_t<i, OptionsOfTransports>::transport == static_cast<Transport>(i)) && ...);
}
static_assert(std::tuple_size_v<OptionsOfTransports> == all_transports().size());
static_assert(is_in_order(std::make_index_sequence<std::tuple_size_v<OptionsOfTransports>>()));

}  // namespace

MemoryKind TransportOptions::memory_kind(Transport transport) const {
  auto kind = MemoryKind::host;
  std::apply(
      [&](const auto&... each) { ((each.transport == transport ? void(kind = each.memory_kind()) : void()), ...); },
      all_);
  return kind;
}

bool TransportOptions::has(std::string_view key) {
  bool found = false;
  visit_option_tables([&](const auto& table) { found = found || table.find(key) != nullptr; });
  return found;
}

bool TransportOptions::set(Transport transport, std::string_view key, std::string_view value) {
  bool has_effect = false;
  const auto set_in = [&](auto& options) {
    const auto& table = options.table();
    const auto* row = table.find(key);
    if (row == nullptr || (options.transport != transport && !row->for_every_transport)) return;
    table.apply(options, key, value);
    has_effect = true;
  };
  std::apply([&](auto&... each) { (set_in(each), ...); }, all_);
  return has_effect;
}

std::string option_listing() {
  std::string text;
  visit_option_tables([&](const auto& table) {
    for (const auto& row : table.rows()) {
      const auto default_text = table.default_of(row);
      text += fmt::format("{}\n    {}\n    {}{}{}; default {}\n", row.key, row.meaning, row.allowed,
                          row.unit.empty() ? "" : ", ", row.unit, default_text.empty() ? "as described" : default_text);
    }
  });
  return text;
}

}  // namespace ringmark
