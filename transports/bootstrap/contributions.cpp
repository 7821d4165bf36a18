#include "transports/bootstrap/contributions.hpp"

#include <cstdint>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "transports/exchange.hpp"

namespace ringmark {
namespace {

constexpr auto exchange_name = "contributions";

/// Runs of equal contributions in rank order: `counts[i]` consecutive ranks contribute `values[which[i]]`.
struct Contributions {
  std::vector<std::string> values;
  std::vector<std::size_t> which, counts;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Contributions, values, which, counts)

}  // namespace

std::string encode_contributions(const std::vector<std::string>& parts) {
  Contributions message;
  std::unordered_map<std::string_view, std::size_t> known;
  for (const auto& part : parts) {
    const auto [found, is_new] = known.try_emplace(part, message.values.size());
    if (is_new) message.values.push_back(part);
    if (message.which.empty() || message.which.back() != found->second) {
      message.which.push_back(found->second);
      message.counts.push_back(0);
    }
    ++message.counts.back();
  }
  return encode(exchange_name, message);
}

std::vector<std::string> decode_contributions(std::string_view bytes, int ranks, std::string_view sender) {
  const auto message = decode<Contributions>(exchange_name, bytes, sender);
  const auto all = static_cast<std::size_t>(ranks);
  if (message.which.size() != message.counts.size()) throw_unreadable(exchange_name, sender);
  std::vector<std::string> parts;
  parts.reserve(all);
  for (std::size_t i = 0; i < message.which.size(); ++i) {
    if (message.which[i] >= message.values.size() || message.counts[i] > all - parts.size())
      throw_unreadable(exchange_name, sender);
    parts.insert(parts.end(), message.counts[i], message.values[message.which[i]]);
  }
  if (parts.size() != all) throw_unreadable(exchange_name, sender);
  return parts;
}

}  // namespace ringmark
