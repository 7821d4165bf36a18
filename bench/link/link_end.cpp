#include "bench/link/link_end.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/text/error_text.hpp"
#include "bench/link/link_destination.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

constexpr int most_samples = 2000;
/// Both ends receive their orders at the same time, so a longer wait means that a rank died.
constexpr std::chrono::milliseconds longest_connecting = std::chrono::seconds(10);

/// If all ranks are on one host, the counters of its loopback are used, so every link counts.
bool leaves_host(const LinkEnds& link, const std::vector<std::string>& hosts) {
  return on_one_host(hosts) ||
         hosts[static_cast<std::size_t>(link.source)] != hosts[static_cast<std::size_t>(link.destination)];
}

}  // namespace

void to_json(nlohmann::json& json, const LinkReport& report) {
  const auto& [times_us, messages, wrong_bytes, stop_reason] = report.result;
  json = {{"times_us", times_us},
          {"messages", messages},
          {"wrong_bytes", wrong_bytes},
          {"evidence", report.evidence},
          {"failure", report.failure},
          {"is_late", report.is_late},
          {"received_GBps", report.received_GBps}};
  if (stop_reason) json["stop_reason"] = *stop_reason;
}

void from_json(const nlohmann::json& json, LinkReport& report) {
  auto& [times_us, messages, wrong_bytes, stop_reason] = report.result;
  json.at("times_us").get_to(times_us);
  json.at("messages").get_to(messages);
  json.at("wrong_bytes").get_to(wrong_bytes);
  json.at("evidence").get_to(report.evidence);
  json.at("failure").get_to(report.failure);
  json.at("is_late").get_to(report.is_late);
  json.at("received_GBps").get_to(report.received_GBps);
  if (json.contains("stop_reason")) stop_reason = json["stop_reason"].get<StopReason>();
}

LinkReport LinkEnd::measure_all(const std::vector<LinkOrder>& orders) {
  const auto& order = orders.front();
  if (connection_ != order.connection) {
    fabric_.reset();
    fabric_ = resources_.backend->make_fabric(options_, resources_);
    connection_ = order.connection;
  }
  const bool is_source = fabric_->rank() == order.link.source;
  PathCounters counters(resources_.backend->way_out());
  std::vector<int> peers;
  std::vector<LinkPlan> plans;
  for (const auto& each : orders) {
    peers.push_back(is_source ? each.link.destination : each.link.source);
    auto& plan = plans.emplace_back(LinkPlan{each.test, each.link.source, each.link.destination, each.bytes, options_,
                                             [&](bool on) { counters.count(on); }});
    plan.time.max_time = std::chrono::duration<double>(each.max_time_s);
    if (each.takes_whole_time) {
      plan.time.precision_percent = 0;
    } else {
      plan.time.most_samples = most_samples;
    }
  }
  fabric_->connect(peers, Deadline::after(std::min(options_.timeout, longest_connecting)));
  LinkReport report;
  if (is_source) {
    report.result = measure_link(*fabric_, plans.front());
  } else {
    report.received_GBps = serve_links(*fabric_, plans);
  }
  const bool is_counted = is_source && leaves_host(order.link, resources_.places.hosts);
  const auto sent_bytes = static_cast<double>(order.bytes) * static_cast<double>(report.result.messages);
  report.evidence = evidence_of(counters, is_counted ? sent_bytes : 0);
  return report;
}

LinkReport LinkEnd::measure(const std::vector<LinkOrder>& orders) {
  LinkReport report;
  try {
    return measure_all(orders);
  } catch (const std::exception& error) {
    report.failure = text_of(error);
    report.is_late = dynamic_cast<const TimedOut*>(&error) != nullptr;
  }
  fabric_.reset();
  connection_.reset();
  return report;
}

int LinkEnd::serve(ScanLine& rank_0) {
  const auto next = [&] { return decode<LinkOrder>(link_order_message, rank_0.wait(), "rank 0"); };
  for (;;) {
    std::vector<LinkOrder> orders{next()};
    if (orders.front().is_last) return orders.front().exit_status;
    for (int i = 1; i < orders.front().together; ++i) orders.push_back(next());
    rank_0.send(encode(link_report_message, measure(orders)));
  }
}

}  // namespace ringmark
