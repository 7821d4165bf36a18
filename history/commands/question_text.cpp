#include "history/commands/question_text.hpp"

#include <variant>

namespace ringmark::history {

std::vector<std::string> names_of(const std::vector<Chain>& chains) {
  std::vector<std::string> names;
  const auto settings = distinctions(chains);
  for (std::size_t i = 0; i < chains.size(); ++i)
    names.push_back(chains[i].of_case + (settings[i].empty() ? "" : ", " + settings[i]));
  return names;
}

std::optional<double> bus_bandwidth_GBps(const Series& series, double time_us) {
  const auto& record = series.row.record;
  const auto workload = record.collective.only();
  if (!workload) return std::nullopt;
  constexpr double bytes_per_us_of_GBps = 1e3;
  const auto algorithm_GBps = static_cast<double>(record.size_bytes) / time_us / bytes_per_us_of_GBps;
  if (const auto* collective = std::get_if<Collective>(&*workload)) {
    if (record.ranks < 2) return std::nullopt;  // nothing passes a bus
    return algorithm_GBps * bus_factor(*collective, record.ranks);
  }
  const auto* link = std::get_if<LinkTest>(&*workload);
  return link != nullptr && *link == LinkTest::bandwidth ? std::optional(algorithm_GBps) : std::nullopt;
}

}  // namespace ringmark::history
