#include "accept/expected_rates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/measurements.hpp"
#include "base/errors.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"
#include "history/answers/usual_rates.hpp"
#include "results/files/published_results.hpp"

namespace ringmark::accept {
namespace {

/// Published operations run back to back, which makes short ones faster.
constexpr std::size_t least_published_bytes = 64 * mebi;

std::string expect_what_is_published(Criteria& criteria) {
  if (criteria.size_bytes < least_published_bytes)
    throw BadUsage(
        Problem{.flag = "size",
                .value = format_size(criteria.size_bytes),
                .text = fmt::format("published rates are for {} and more", format_size(least_published_bytes)),
                .remedy = "give size: 1G"});
  auto results = published_results(criteria.published, "expect.published");
  const auto ranks = static_cast<int>(criteria.fabric.hosts.size() * criteria.fabric.rails);
  const auto rate = published_all_reduce(results, criteria.size_bytes, ranks);
  if (!rate) {
    std::erase_if(results, [](const PublishedResult& each) {
      return each.record.collective.only() != Workload(Collective::all_reduce);
    });
    throw BadUsage(Problem{
        .flag = "expect.published",
        .value = criteria.published,
        .text = fmt::format("no all_reduce of {} over {} ranks is published", format_size(criteria.size_bytes), ranks),
        .remedy = "give the size and ranks of one of " + cases_in_words(results)});
  }
  criteria.busbw_GBps = rate->busbw_GBps;
  return fmt::format("# published for {}: bus bandwidth {:.4g} GB/s ({})\n#   {}\n", criteria.published,
                     rate->busbw_GBps, rate->sources.size() > 1 ? "median" : "one source",
                     fmt::join(rate->sources, "\n#   "));
}

Transport transport_of(const std::map<std::string, sweep::Value>& arguments) {
  return parse_transport(value_of(arguments, "transport")).value_or(Transport::tcp);
}

/// The all_reduce that the stage `together` will measure. A list of types or operators is that of several cases.
history::AllReduceCase all_reduce_of(const Criteria& criteria) {
  const auto arguments = arguments_for(criteria, Stage::together);
  history::AllReduceCase asked{criteria.size_bytes,
                               static_cast<int>(criteria.fabric.hosts.size() * criteria.fabric.rails),
                               transport_of(arguments)};
  if (arguments.contains("timing")) asked.timing = parse_timing(value_of(arguments, "timing"));
  if (arguments.contains("datatype")) asked.datatype = parse_datatype(value_of(arguments, "datatype"));
  if (arguments.contains("op")) asked.op = parse_reduce_op(value_of(arguments, "op"));
  asked.algorithm = value_of(arguments, "algorithm");
  if (asked.algorithm.starts_with("auto")) asked.algorithm.clear();
  return asked;
}

std::string expect_what_is_usual(Criteria& criteria, const history::HistoryOptions& options) {
  if (options.store.empty())
    throw BadUsage(
        Problem{.flag = "expect", .value = "history", .text = "no store is given", .remedy = "give --history FILE"});
  const auto asked = all_reduce_of(criteria);
  const auto link_transport = transport_of(arguments_for(criteria, Stage::links));
  const auto together = history::usual_all_reduce(options.store, options.cluster, asked);
  const auto link =
      history::usual_link(options.store, options.cluster, criteria.size_bytes, link_transport, criteria.fabric.hosts);
  if (!together && !link)
    throw BadUsage(Problem{
        .flag = "expect",
        .value = "history",
        .text = fmt::format("{} has fewer than five launches of all_reduce of {} over {} ranks by {} (timing {}) "
                            "and of links between these hosts, in cluster {}",
                            options.store, format_size(asked.size_bytes), asked.ranks, name(asked.transport),
                            asked.timing ? name(*asked.timing) : "any", options.cluster),
        .remedy = "run ringmark-accept without expect a few times, with --history and --cluster, on different days"});
  std::string words;
  const auto expect = [&](std::optional<double>& expected, const std::optional<history::UsualRate>& usual,
                          std::string_view what, Transport transport) {
    if (!usual) return;
    expected = usual->GBps;
    words += fmt::format("{}{} {:.4g} GB/s ({} by {})", words.empty() ? "" : ", ", what, usual->GBps,
                         with_count(usual->launches, "launch"), name(transport));
  };
  expect(criteria.busbw_GBps, together, "bus bandwidth", asked.transport);
  expect(criteria.link_GBps, link, "links", link_transport);
  return fmt::format("# usual in {}: {}\n", options.store, words);
}

}  // namespace

std::string fill_in_expected_rates(Criteria& criteria, const history::HistoryOptions& options) {
  if (criteria.expects_what_is_usual) return expect_what_is_usual(criteria, options);
  return criteria.published.empty() ? "" : expect_what_is_published(criteria);
}

}  // namespace ringmark::accept
