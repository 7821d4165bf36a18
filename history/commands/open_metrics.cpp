#include "history/commands/open_metrics.hpp"

#include <cctype>
#include <functional>
#include <set>

#include <fmt/format.h>

namespace ringmark::history {
namespace {

using Labels = std::map<std::string, std::string>;

std::string label_name(std::string_view name) {
  std::string text;
  for (const char letter : name) text += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return std::isdigit(static_cast<unsigned char>(text.front())) != 0 ? "_" + text : text;
}

std::string label_value(std::string_view value) {
  std::string text;
  for (const char letter : value) {
    if (letter == '\n') {
      text += "\\n";
      continue;
    }
    if (letter == '\\' || letter == '"') text += '\\';
    text += letter;
  }
  return text;
}

std::string labels_text(const Labels& labels) {
  std::string text;
  std::set<std::string> used;
  for (const auto& [name, value] : labels) {
    auto label = label_name(name);
    while (!used.insert(label).second) label += '_';  // "label.x" and "label_x" would otherwise be the same name
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", label, label_value(value));
  }
  return text;
}

Labels labels_of(const LatestLaunch& launch) {
  auto labels = launch.values;
  labels["cluster"] = launch.cluster;
  return labels;
}

class Metrics {
 public:
  void begin(const std::string& name, const std::string& unit, const std::string& help) {
    name_ = name;
    text_ += fmt::format("# TYPE {} gauge\n", name);
    if (!unit.empty()) text_ += fmt::format("# UNIT {} {}\n", name, unit);
    text_ += fmt::format("# HELP {} {}\n", name, help);
  }
  void add(const Labels& labels, double value) {
    text_ += fmt::format("{}{{{}}} {}\n", name_, labels_text(labels), value);
  }
  std::string finished() const { return text_ + "# EOF\n"; }

 private:
  std::string name_, text_;
};

constexpr double us_per_s = 1e6, bytes_per_GB = 1e9;

double unix_seconds(std::chrono::sys_seconds time) { return static_cast<double>(time.time_since_epoch().count()); }

}  // namespace

std::string open_metrics(const std::vector<LatestLaunch>& launches, const std::vector<LatestHost>& hosts,
                         const std::vector<LatestVerdict>& verdicts, const std::vector<LatestRows>& rows) {
  Metrics metrics;
  metrics.begin("ringmark_time_seconds", "seconds", "Median time of the latest launch of a series.");
  for (const auto& each : launches) metrics.add(labels_of(each), each.launch.time_us / us_per_s);
  metrics.begin("ringmark_bus_bandwidth_bytes_per_second", "bytes_per_second", "Bus bandwidth of the latest launch.");
  for (const auto& each : launches) {
    if (each.busbw_GBps) metrics.add(labels_of(each), *each.busbw_GBps * bytes_per_GB);
  }
  metrics.begin("ringmark_normal_time_seconds", "seconds",
                "Normal range and median, from the launches before the latest one.");
  for (const auto& each : launches) {
    if (!each.normal) continue;
    auto labels = labels_of(each);
    for (const auto& [bound, time_us] : {std::pair{"low", each.normal->range_us.low},
                                         {"median", each.normal->median_us},
                                         {"high", each.normal->range_us.high}}) {
      labels["bound"] = bound;
      metrics.add(labels, time_us / us_per_s);
    }
  }
  metrics.begin("ringmark_normal_bus_bandwidth_bytes_per_second", "bytes_per_second",
                "Normal range of bus bandwidth, from the launches before the latest one.");
  for (const auto& each : launches) {
    if (!each.normal_busbw_GBps) continue;
    auto labels = labels_of(each);
    for (const auto& [bound, GBps] :
         {std::pair{"low", each.normal_busbw_GBps->low}, {"high", each.normal_busbw_GBps->high}}) {
      labels["bound"] = bound;
      metrics.add(labels, GBps * bytes_per_GB);
    }
  }
  metrics.begin("ringmark_is_slower_than_normal", "", "1 if the latest launch took longer than the normal range.");
  for (const auto& each : launches) {
    if (each.normal) metrics.add(labels_of(each), each.normal->judge(each.launch.time_us) == Place::above ? 1 : 0);
  }
  metrics.begin("ringmark_launch_timestamp_seconds", "seconds", "When the latest launch of a series began.");
  for (const auto& each : launches) metrics.add(labels_of(each), unix_seconds(each.launch.time));
  metrics.begin("ringmark_last_change_time_ratio", "ratio",
                "Times after the last change of a series over those before it.");
  for (const auto& each : launches) {
    if (each.change) metrics.add(labels_of(each), each.change->ratio);
  }
  metrics.begin("ringmark_last_change_timestamp_seconds", "seconds", "The first launch after the last change.");
  for (const auto& each : launches) {
    if (each.change) metrics.add(labels_of(each), unix_seconds(each.change->first_after));
  }
  metrics.begin("ringmark_host_time_ratio", "ratio", "A host's time in its latest launch over the median host's.");
  for (const auto& each : hosts)
    metrics.add({{"cluster", each.cluster}, {"host", each.host}, {"kind_of_case", each.kind}}, each.time_ratio);
  metrics.begin("ringmark_verdict_timestamp_seconds", "seconds", "When a cluster's latest verdict was given.");
  for (const auto& each : verdicts)
    metrics.add({{"cluster", each.cluster}, {"outcome", each.outcome}}, unix_seconds(each.time));
  metrics.begin("ringmark_latest_rows", "",
                "Rows of a cluster's latest night by status; only ok ones are part of series.");
  for (const auto& each : rows) {
    for (const auto& [status, count] : each.rows)
      metrics.add({{"cluster", each.cluster}, {"status", status}}, static_cast<double>(count));
  }
  return metrics.finished();
}

}  // namespace ringmark::history
