#include "results/files/published_results.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/datatype.hpp"
#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/operation.hpp"
#include "base/units.hpp"
#include "results/files/csv.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark {
namespace {

/// A row of the table, with access by column name.
class Cells {
 public:
  explicit Cells(std::vector<std::string_view> columns) : columns_(std::move(columns)) {}

  void set(const std::vector<std::string_view>& row) {
    for (std::size_t i = 0; i < columns_.size(); ++i) cells_[columns_[i]] = row.at(i);
  }
  std::string text(std::string_view column) const { return std::string(cells_.at(column)); }
  template <class Number>
  Number number(std::string_view column) const {
    Number value{};
    if (!read_number(cells_.at(column), Number{}, std::numeric_limits<Number>::max(), value))
      throw CsvError(fmt::format("{}: \"{}\" is not a number", column, cells_.at(column)));
    return value;
  }
  bool has(std::string_view column) const { return !cells_.at(column).empty(); }

 private:
  std::vector<std::string_view> columns_;
  std::map<std::string_view, std::string_view> cells_;
};

PublishedResult result_in(const Cells& cells) {
  PublishedResult result{cells.text("gpu"),  cells.text("network"), cells.text("nccl_version"),
                         cells.text("date"), cells.text("source"),  {}};
  const auto collective = parse_collective(cells.text("collective")).value();
  auto& row = result.record;
  row.run_id = origin_in_words(result);
  row.transport = Transport::nccl;
  row.memory = result.gpu.starts_with("mi") ? std::nullopt : std::optional(MemoryKind::cuda);
  row.algorithm = "auto";
  row.collective = Workload(collective);
  row.datatype = parse_datatype(cells.text("datatype")).value();
  if (cells.has("op")) row.op = parse_reduce_op(cells.text("op")).value();
  row.in_place = cells.number<int>("in_place");
  row.timing = Timing::batch;
  row.ranks = cells.number<int>("ranks");
  row.nodes = cells.number<int>("nodes");
  row.size_bytes = cells.number<std::uint64_t>("size_bytes");
  row.samples = 1;
  row.status = Status::ok;
  const double factor = bus_factor(collective, row.ranks);
  // Times have more digits than bandwidths where both are published.
  row.algbw_GBps = cells.has("time_us")
                       ? static_cast<double>(row.size_bytes) / cells.number<double>("time_us") / bytes_per_us_per_GBps
                       : cells.number<double>("busbw_GBps") / factor;
  row.busbw_GBps = *row.algbw_GBps * factor;
  row.time_us_p50 = row.time_us_mean = static_cast<double>(row.size_bytes) / *row.algbw_GBps / bytes_per_us_per_GBps;
  return result;
}

std::vector<PublishedResult> whole_table() {
  CsvScanner scanner(nccl_tests_csv);
  std::vector<std::string_view> row;
  scanner.next(row);
  Cells cells(row);
  std::vector<PublishedResult> results;
  while (scanner.next(row)) {
    cells.set(row);
    results.push_back(result_in(cells));
  }
  return results;
}

bool is_all_reduce(const PublishedResult& result) {
  return result.record.collective.only() == Workload(Collective::all_reduce) && result.record.in_place == 0;
}

}  // namespace

std::vector<PublishedResult> published_results(const std::string& asked, const std::string& flag) {
  const auto colon = asked.find(':');
  const auto gpu = asked.substr(0, colon), network = colon == std::string::npos ? "" : asked.substr(colon + 1);
  auto results = whole_table();
  std::set<std::string> gpus, networks;
  for (const auto& each : results) {
    gpus.insert(each.gpu);
    if (each.gpu == gpu && !each.network.empty()) networks.insert(each.network);
  }
  if (!gpus.contains(gpu))
    throw BadUsage(Problem{.flag = flag,
                           .value = asked,
                           .text = "the table of published results does not have this GPU",
                           .remedy = fmt::format("give one of {}", fmt::join(gpus, ", "))});
  std::erase_if(results, [&](const PublishedResult& each) {
    return each.gpu != gpu || (!network.empty() && !each.network.starts_with(network));
  });
  if (results.empty())
    throw BadUsage(Problem{.flag = flag,
                           .value = asked,
                           .text = fmt::format("the table of published results has {} only over other networks", gpu),
                           .remedy = fmt::format("give the beginning of one of {}", fmt::join(networks, ", "))});
  return results;
}

std::optional<PublishedRate> published_all_reduce(const std::vector<PublishedResult>& results, std::uint64_t size_bytes,
                                                  int ranks) {
  std::vector<double> GBps;
  std::vector<std::string> sources;
  for (const auto& each : results) {
    if (!is_all_reduce(each) || each.record.size_bytes != size_bytes || each.record.ranks != ranks) continue;
    GBps.push_back(each.record.busbw_GBps.value());
    sources.push_back(origin_in_words(each));
  }
  if (GBps.empty()) return std::nullopt;
  return PublishedRate{median(std::move(GBps)), std::move(sources)};
}

std::string operation_in_words(std::string_view collective, std::string_view ranks) {
  return fmt::format("{} over {} ranks", collective, ranks);
}

std::string operation_in_words(const PublishedResult& result) {
  return operation_in_words(name(result.record.collective.only().value()), std::to_string(result.record.ranks));
}

std::string cases_in_words(const std::vector<PublishedResult>& results) {
  std::map<std::pair<std::string, int>, std::set<std::uint64_t>> sizes;  // by operation, 8 ranks before 16
  for (const auto& each : results)
    sizes[{std::string(name(each.record.collective.only().value())), each.record.ranks}].insert(each.record.size_bytes);
  std::vector<std::string> words;
  for (const auto& [operation, of_these] : sizes) {
    std::vector<std::string> texts;
    for (const auto size : of_these) texts.push_back(format_size(size));
    words.push_back(fmt::format("{} ({})", operation_in_words(operation.first, std::to_string(operation.second)),
                                fmt::join(texts, ", ")));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string origin_in_words(const PublishedResult& result) {
  std::vector<std::string> words{result.source};
  if (!result.network.empty()) words.push_back(result.network);
  if (!result.nccl_version.empty())
    words.push_back(result.nccl_version.starts_with("rccl") ? result.nccl_version : "NCCL " + result.nccl_version);
  if (!result.date.empty()) words.push_back(result.date);
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace ringmark
