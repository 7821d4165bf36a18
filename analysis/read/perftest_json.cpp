#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "analysis/read/foreign.hpp"
#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/json_documents.hpp"
#include "analysis/read/perftest_rows.hpp"
#include "base/input/input.hpp"

namespace ringmark::analysis {
namespace {

std::optional<double> perftest_figure(const nlohmann::json& results, const char* key) {
  const auto found = results.find(key);
  return found != results.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

/// The file does not say whether its bandwidth is in MiB/s or Gbit/s; the message rate determines it.
std::optional<double> perftest_GBps(const nlohmann::json& results, double bytes) {
  const auto average = perftest_figure(results, "BW_average"), rate = perftest_figure(results, "MsgRate");
  if (!average || !rate || *rate <= 0) return std::nullopt;
  const double by_rate = *rate * 1e6 * bytes / 1e9;
  constexpr double mebibyte = 1048576, gigabit = 125'000'000, close = 0.1;
  for (const double unit : {mebibyte, gigabit}) {
    const double GBps = *average * unit / 1e9;
    if (std::abs(GBps / by_rate - 1) < close) return GBps;
  }
  return std::nullopt;
}

PerftestSetup perftest_setup(const nlohmann::json& info) {
  PerftestSetup setup;
  setup.title = info.value("test", "");
  for (const std::string_view word : {"_BW", "_Latency", "_Bidirectional", "_Post_List", "_Test"}) {
    if (const auto at = setup.title.find(word); at != std::string::npos) setup.title[at] = ' ';
  }
  setup.link_type = info.value("Link_type", "");
  setup.transport_type = info.value("Transport_type", "IB");
  setup.connection = info.value("Connection_type", "");
  setup.queue_pairs = info.value("Number_of_qps", 1);
  setup.has_two_ports = info.value("Dual_port", "") == "ON";
  if (info.contains("cuda_device")) setup.memory = "cuda";
  if (info.value("Use_ROCm_memory", "") == "ON") setup.memory = "rocm";
  if (info.contains("musa_device") || info.value("Use_MUSA_memory", "") == "ON") setup.memory = "musa";
  return setup;
}

void read_perftest_document(ForeignRows& rows, const JsonDocument& document) {
  refuse_deep_nesting(rows.file(), document.text);
  const auto json = nlohmann::json::parse(document.text);
  const auto setup = perftest_setup(json.at("test_info"));
  const auto& results = json.at("results");
  if (const auto why = why_no_link(setup); !why.empty()) return rows.refuse(document.line, why);
  if (!results.contains("MsgSize")) return rows.refuse(document.line, "it has no size (perftest ran with --output)");
  PerftestRow row;
  row.bytes = results.at("MsgSize").get<std::uint64_t>();
  row.iterations = results.value("n_iterations", std::uint64_t{0});
  row.GBps = perftest_GBps(results, static_cast<double>(row.bytes));
  row.typical_us = perftest_figure(results, "t_typical");
  row.least_us = perftest_figure(results, "t_min");
  row.most_us = perftest_figure(results, "t_max");
  row.average_us = perftest_figure(results, "t_avg");
  row.p99_us = perftest_figure(results, "percentile_99");
  row.line = document.line;
  if (!row.GBps && !row.typical_us && !row.average_us)
    return rows.refuse(document.line, "its message rate does not determine the unit of its bandwidth");
  rows.begin_launch(document.line);
  add_perftest_row(rows, setup, row);
}

}  // namespace

void read_perftest_json(ForeignRows& rows) {
  for (const auto& document : json_documents(rows.text())) {
    try {
      read_perftest_document(rows, document);
    } catch (const nlohmann::json::exception&) {
      rows.refuse(document.line, "not the JSON of perftest, or cut off");
    }
  }
}

}  // namespace ringmark::analysis
