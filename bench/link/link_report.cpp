#include "bench/link/link_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "results/cells.hpp"

namespace ringmark {
namespace {

struct Cell {
  int source, destination;
  double value;
  bool is_within_host;
};

double value_of(const Record& record) {
  return record.collective == LinkTest::latency ? record.time_us_p50.value_or(0) : record.algbw_GBps.value_or(0);
}

/// How much worse than typical, 1 being typical, whether more is worse (latency) or less (bandwidth).
double slowness(double value, double typical, bool is_latency) {
  if (value <= 0 || typical <= 0) return 1;
  return is_latency ? value / typical : typical / value;
}

/// The better quartile of the links between hosts, or of all links on one host. Among few hosts a single bad one spoils
/// half of the links, and the median with them.
double typical_of(const std::vector<Cell>& cells, bool is_latency) {
  const bool are_all_within = std::all_of(cells.begin(), cells.end(), [](const Cell& c) { return c.is_within_host; });
  std::vector<double> values;
  for (const auto& cell : cells) {
    if (are_all_within || !cell.is_within_host) values.push_back(is_latency ? cell.value : -cell.value);
  }
  std::sort(values.begin(), values.end());
  return std::abs(values[(values.size() - 1) / 4]);
}

std::string matrix(LinkTest test, std::uint64_t bytes, std::vector<Cell> cells, const std::vector<std::string>& hosts) {
  const bool is_latency = test == LinkTest::latency;
  const std::string_view unit = is_latency ? "us" : "GB/s";
  const double suspicious = is_latency ? 2 : 1.25;
  const double typical = typical_of(cells, is_latency);
  const int ranks = static_cast<int>(hosts.size());

  std::string text =
      fmt::format("\n{} of {} B in {}, from the rank on the left to the rank above\n      ", name(test), bytes, unit);
  for (int rank = 0; rank < ranks; ++rank) text += fmt::format("{:>9}", rank);
  for (int source = 0; source < ranks; ++source) {
    text += fmt::format("\n{:>6}", source);
    for (int destination = 0; destination < ranks; ++destination) {
      const auto found = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) {
        return cell.source == source && cell.destination == destination;
      });
      if (found == cells.end()) {
        text += fmt::format("{:>9}", "-");
      } else {
        const bool slow = slowness(found->value, typical, is_latency) >= suspicious;
        text += fmt::format("{:>8.4g}{}", found->value, slow ? '*' : ' ');
      }
    }
  }
  const auto are_within = static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(), [](const Cell& cell) { return cell.is_within_host; }));
  const bool are_mixed = are_within > 0 && are_within < cells.size();
  text += fmt::format("\ntypical{}: {:.4g} {}\n", are_mixed ? " between hosts" : "", typical, unit);
  std::sort(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) {
    return slowness(a.value, typical, is_latency) > slowness(b.value, typical, is_latency);
  });
  std::vector<Cell> slow;
  for (const auto& cell : cells) {
    const double factor = slowness(cell.value, typical, is_latency);
    if (factor < suspicious) break;
    text += fmt::format("* rank {} on {} to rank {} on {}: {:.4g} {}, {:.1f} times worse than typical\n", cell.source,
                        hosts[static_cast<std::size_t>(cell.source)], cell.destination,
                        hosts[static_cast<std::size_t>(cell.destination)], cell.value, unit, factor);
    slow.push_back(cell);
  }
  for (int rank = 0; rank < ranks && slow.size() > 1; ++rank) {
    const bool in_all = std::all_of(slow.begin(), slow.end(),
                                    [&](const Cell& cell) { return cell.source == rank || cell.destination == rank; });
    if (in_all) {
      text += fmt::format("every slow link has rank {} on {} as an end\n", rank, hosts[static_cast<std::size_t>(rank)]);
    }
  }
  return text;
}

}  // namespace

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

std::string link_matrices(const std::vector<Record>& records, const std::vector<std::string>& hosts) {
  std::map<std::pair<LinkTest, std::uint64_t>, std::vector<Cell>> tables;
  for (const auto& record : records) {
    const auto test = std::get<LinkTest>(record.collective.only().value());
    const auto& [source, destination] = record.link.value();
    tables[{test, record.size_bytes}].push_back({source, destination, value_of(record), record.nodes == 1});
  }
  std::string text;
  for (const auto& [key, cells] : tables) {
    if (cells.size() > 1) text += matrix(key.first, key.second, cells, hosts);
  }
  return text;
}

}  // namespace ringmark
