#include "accept/usual_expectations.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"
#include "history/answers/usual_rates.hpp"

namespace ringmark::accept {

std::string expect_what_is_usual(Criteria& criteria, const history::HistoryOptions& options) {
  if (!criteria.expects_what_is_usual) return "";
  if (options.store.empty())
    throw BadUsage(
        Problem{.flag = "expect", .value = "history", .text = "no store is given", .remedy = "give --history FILE"});
  const auto& hosts = criteria.fabric.hosts;
  const auto ranks = static_cast<int>(hosts.size() * criteria.fabric.rails);
  const auto together = history::usual_all_reduce(options.store, options.cluster, criteria.size_bytes, ranks);
  const auto link = history::usual_link(options.store, options.cluster, criteria.size_bytes, hosts);
  if (!together && !link)
    throw BadUsage(Problem{
        .flag = "expect",
        .value = "history",
        .text = fmt::format("{} has fewer than five launches of all_reduce of {} over {} ranks and of links between "
                            "these hosts, in cluster {}",
                            options.store, format_size(criteria.size_bytes), ranks, options.cluster),
        .remedy = "accept the cluster without expect a few times, with --history and --cluster, on different days"});
  std::string words;
  const auto expect = [&](std::optional<double>& expected, const std::optional<history::UsualRate>& usual,
                          std::string_view what) {
    if (!usual) return;
    expected = usual->GBps;
    words += fmt::format("{}{} {:.4g} GB/s ({})", words.empty() ? "" : ", ", what, usual->GBps,
                         with_count(usual->launches, "launch"));
  };
  expect(criteria.busbw_GBps, together, "bus bandwidth");
  expect(criteria.link_GBps, link, "links");
  return fmt::format("# usual in {}: {}\n", options.store, words);
}

}  // namespace ringmark::accept
