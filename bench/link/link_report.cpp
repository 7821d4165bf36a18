#include "bench/link/link_report.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/units.hpp"
#include "results/files/rank_hosts.hpp"
#include "results/schema/cells.hpp"

namespace ringmark {
namespace {

double value_of(const Record& record) {
  return record.collective == LinkTest::latency ? record.time_us_p50.value_or(0) : record.algbw_GBps.value_or(0);
}

std::string matrix(const LinkFindings& table, const std::vector<Record>& records, int ranks) {
  const auto* const unit = table.test == LinkTest::latency ? "us" : "GB/s";
  std::string text = fmt::format("\n{} of {} B in {}, from the rank on the left to the rank above\n      ",
                                 name(table.test), table.size_bytes, unit);
  for (int rank = 0; rank < ranks; ++rank) text += fmt::format("{:>11}", rank);
  for (int source = 0; source < ranks; ++source) {
    text += fmt::format("\n{:>6}", source);
    for (int destination = 0; destination < ranks; ++destination) {
      const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
        return record.collective == table.test && record.size_bytes == table.size_bytes &&
               record.link == LinkEnds{source, destination};
      });
      text += found == records.end()
                  ? fmt::format("{:>11}", "-")
                  : fmt::format("{:>10.4g}{}", value_of(*found), table.is_slow(source, destination) ? '*' : ' ');
    }
  }
  return text + (table.are_none() ? "\n" : "\n* slow\n");
}

}  // namespace

std::string lost_in_words(const std::map<int, std::string>& lost, const std::vector<std::string>& hosts) {
  std::string text;
  for (const auto& [rank, why] : lost)
    text += fmt::format("\nlost {}: {}; all links between the other ranks were measured", on_host(rank, hosts), why);
  return text.empty() ? text : text + "\n";
}

std::string link_header() {
  return fmt::format("#  {:>5}  {:>5}  {:>9}  {:>10}  {:>10}  {:>10}  {:>8}  {:>8}  {}\n", "src", "dst", "test",
                     "size(B)", "p50(us)", "p99(us)", "GB/s", "samples", "#wrong");
}

std::string link_line(const Record& record) {
  const auto number = [](std::optional<double> value, int decimals) {
    return value ? fmt::format("{:.{}f}", *value, decimals) : std::string("-");
  };
  return fmt::format("   {:>5}  {:>5}  {:>9}  {:>10}  {:>10}  {:>10}  {:>8}  {:>8}  {}\n", record.link.value().source,
                     record.link->destination, to_cell(record.collective), record.size_bytes,
                     number(record.time_us_p50, 2), number(record.time_us_p99, 2), number(record.algbw_GBps, 4),
                     record.samples, record.wrong_elements.value_or(0));
}

std::string link_matrices(const std::vector<LinkFindings>& findings, const std::vector<Record>& records, int ranks) {
  std::string text;
  for (const auto& table : findings) text += matrix(table, records, ranks);
  return text;
}

std::string bisection_in_words(const std::vector<Record>& records) {
  struct Sum {
    double GBps = 0;
    std::size_t links = 0;
  };
  std::map<std::uint64_t, Sum> sums;
  for (const auto& record : records) {
    if (record.collective != LinkTest::bandwidth) continue;
    auto& sum = sums[record.size_bytes];
    sum.GBps += record.algbw_GBps.value_or(0);
    ++sum.links;
  }
  std::string text;
  // Each pair was measured in both directions, one at a time.
  for (const auto& [bytes, sum] : sums)
    text += fmt::format("bisection: {} pairs reach {:.4g} GB/s in total, in each direction ({} messages)\n",
                        sum.links / 2, sum.GBps / 2, format_size(bytes));
  return text;
}

}  // namespace ringmark
