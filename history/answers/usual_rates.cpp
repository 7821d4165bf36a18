#include "history/answers/usual_rates.hpp"

#include <algorithm>
#include <functional>

#include "history/answers/chains.hpp"
#include "history/questions/normal.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

struct ChainRate {
  UsualRate rate;
  std::chrono::sys_seconds last;
};

std::vector<ChainRate> rates_of(const std::string& file, const std::string& cluster,
                                const std::function<bool(const Record&)>& is_asked) {
  Store store(file, Access::read);
  auto series = all_series(store);
  std::erase_if(series, [&](const Series& each) { return !is_asked(each.row.record); });
  const auto chains = chains_of(store, series, over_days(store, {.cluster = cluster}));
  ChangeOptions options;
  options.series = std::max<std::size_t>(chains.size(), 1);
  std::vector<ChainRate> rates;
  for (const auto& chain : chains) {
    const auto envelope = normal_of(chain.points(), options);
    if (!envelope) continue;
    if (const auto GBps = bus_bandwidth_GBps(chain.last(), envelope->median_us))
      rates.push_back({{*GBps, envelope->launches}, chain.launches.back().time});
  }
  return rates;
}

bool measures(const Record& record, const Workload& workload) { return record.collective.only() == workload; }

}  // namespace

std::optional<UsualRate> usual_all_reduce(const std::string& store, const std::string& cluster,
                                          const AllReduceCase& asked) {
  const auto rates = rates_of(store, cluster, [&](const Record& record) {
    return measures(record, Collective::all_reduce) && record.size_bytes == asked.size_bytes &&
           record.ranks == asked.ranks && record.in_place == 0 && record.settings.groups.empty() &&
           record.transport == asked.transport && (!asked.timing || record.timing == asked.timing) &&
           (!asked.datatype || record.datatype.only() == asked.datatype) &&
           (!asked.op || record.op.only() == asked.op) &&
           (asked.algorithm.empty() || record.algorithm == asked.algorithm);
  });
  if (rates.empty()) return std::nullopt;
  return std::max_element(rates.begin(), rates.end(), [](const auto& a, const auto& b) { return a.last < b.last; })
      ->rate;
}

std::optional<UsualRate> usual_link(const std::string& store, const std::string& cluster, std::size_t size_bytes,
                                    Transport transport, const std::vector<std::string>& hosts) {
  const auto is_among = [&](const std::string& host) {
    return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
  };
  const auto rates = rates_of(store, cluster, [&](const Record& record) {
    return measures(record, LinkTest::bandwidth) && record.size_bytes == size_bytes && record.transport == transport &&
           !record.settings.senders && is_among(record.settings.src_host) && is_among(record.settings.dst_host);
  });
  if (rates.empty()) return std::nullopt;
  std::vector<double> GBps;
  std::size_t launches = 0;
  for (const auto& each : rates) {
    GBps.push_back(each.rate.GBps);
    launches = std::max(launches, each.rate.launches);
  }
  return UsualRate{median(std::move(GBps)), launches};
}

}  // namespace ringmark::history
