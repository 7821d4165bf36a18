#include "bench/link/link_scan.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/summary.hpp"
#include "bench/link/link_report.hpp"
#include "bench/link/sharing.hpp"
#include "results/files/rank_hosts.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

/// With more ranks, the matrices do not fit on a screen, and only the CSV has all links.
constexpr int most_ranks_shown = 16;

void print(const std::string& text) {
  say("{}", text);
  std::fflush(stdout);
}

}  // namespace

LinkScan::LinkScan(const LinkOptions& options, RankResources& resources, std::string run_id, Sink* csv)
    : options_(options),
      resources_(resources),
      run_id_(std::move(run_id)),
      csv_(csv),
      own_(options, resources),
      team_(resources.endpoint, options.timeout),
      takes_whole_time_(is_incast()) {}

int LinkScan::run() {
  const auto plan = plan_scan(options_, ways_out());
  max_time_s_ = plan.max_time_s;
  print(
      (plan.steps.size() > 1 ? in_words(options_, plan) + "; the remaining time is shown after the first step\n" : "") +
      link_header());
  for (const auto& measurement : plan.measurements) left_.expect(measurement, plan.steps.size());
  for (const auto& repeat : plan.repeats(options_)) left_.expect(repeat, 1);
  try {
    walk(plan);
    if (plan.has_pairs_at_once()) {
      repeat_alone();
      if (!is_incast()) repeat_over_other_connections(plan);
    }
  } catch (const std::exception&) {
    conclude();
    throw;
  }
  conclude();
  const int status = has_failed_ || !team_.lost().empty() ? exit_failed : is_wrong_ ? exit_wrong : exit_ok;
  const LinkOrder last{.is_last = true, .exit_status = status};
  for (int rank = 1; rank < resources_.control->size(); ++rank) team_.tell(rank, encode(link_order_message, last));
  return status;
}

/// By rank. Ranks that share a way out take turns.
std::vector<std::string> LinkScan::ways_out() const {
  const auto& places = resources_.places;
  std::vector<std::string> ways_out;
  for (std::size_t rank = 0; rank < places.hosts.size(); ++rank)
    ways_out.push_back(places.hosts[rank] + " " + places.ways_out[rank]);
  return ways_out;
}

void LinkScan::walk(const ScanPlan& plan) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    // The next step has the same pairs in the other direction and reuses their connections.
    if (i % 2 == 0 || is_incast()) ++connection_;
    for (const auto& [test, bytes] : plan.measurements) take(timed_step(test, plan.steps[i], bytes));
    print(left_.announcement());
  }
}

std::vector<Record> LinkScan::timed_step(LinkTest test, const LinkStep& step, std::size_t bytes) {
  const auto started = Clock::now();
  auto records = measure_step(test, step, bytes);
  left_.took({test, bytes}, std::chrono::duration<double>(Clock::now() - started).count());
  return records;
}

void LinkScan::take(std::vector<Record> records) {
  const bool shows_lines = resources_.control->size() <= most_ranks_shown;
  for (auto& record : records) {
    if (shows_lines) print(link_line(record));
    if (csv_ != nullptr) csv_->add(record, {});
    if (!is_failure(record.status)) records_.push_back(std::move(record));
  }
}

std::vector<Record> LinkScan::measure_again(const LinkStep& step, std::size_t bytes) {
  auto records = timed_step(LinkTest::bandwidth, step, bytes);
  std::erase_if(records, [](const Record& record) { return is_failure(record.status); });
  print(left_.announcement());
  return records;
}

void LinkScan::repeat_alone() {
  is_alone_ = true;
  const auto most = static_cast<std::size_t>(options_.repeat_alone);
  const auto rows =
      is_incast() ? choose_senders(incasts_in(received_, records_), most) : choose_for_alone(records_, most);
  left_.expect_no_more();
  for (const auto row : rows) left_.expect({LinkTest::bandwidth, records_[row].size_bytes}, 1);
  for (const auto row : rows) {
    ++connection_;
    for (auto& record : measure_again({*records_[row].link}, records_[row].size_bytes))
      alone_.push_back(std::move(record));
  }
}

/// Switches hash a connection's ports to choose its path, so links that collide over one set of connections need not
/// collide over another.
void LinkScan::repeat_over_other_connections(const ScanPlan& plan) {
  takes_whole_time_ = true;
  constexpr int most_tries = 4;
  for (int tries = 0; tries < most_tries; ++tries) {
    std::set<std::pair<std::size_t, std::size_t>> steps;  // and sizes
    for (const auto& shared : find_shared(records_, alone_, again_)) {
      const auto step = std::find_if(plan.steps.begin(), plan.steps.end(), [&](const LinkStep& each) {
        return std::find(each.begin(), each.end(), shared.link) != each.end();
      });
      if (shared.is_collision || step == plan.steps.end() || step->size() < 2) continue;
      steps.emplace(static_cast<std::size_t>(step - plan.steps.begin()), shared.size_bytes);
    }
    for (const auto& [step, size] : steps) left_.expect({LinkTest::bandwidth, size}, 1);
    for (const auto& [step, size] : steps) again_.push_back(over_other_connections(plan.steps[step], size));
  }
}

/// Measures a step over new connections; a second time if it looks like a collision, which only counts if confirmed.
Again LinkScan::over_other_connections(const LinkStep& step, std::size_t bytes) {
  ++connection_;
  auto once = measure_again(step, bytes);
  const auto shared = find_shared(records_, alone_, {once});
  if (std::none_of(shared.begin(), shared.end(), [](const SharedLink& each) { return each.is_collision; })) return once;
  left_.expect({LinkTest::bandwidth, bytes}, 1);
  return slower_of_both(once, measure_again(step, bytes));
}

std::string LinkScan::why_not(const LinkEnds& link) const {
  for (const int rank : {link.source, link.destination}) {
    if (team_.is_lost(rank)) return fmt::format("not measured: lost {}", on_host(rank, resources_.places.hosts));
  }
  return "";
}

std::vector<Record> LinkScan::measure_step(LinkTest test, const LinkStep& planned, std::size_t bytes) {
  LinkStep step;
  std::vector<Record> records;
  std::vector<LinkReport> reports;
  for (std::size_t lost = 0;; ++connection_) {
    lost = team_.lost().size();
    step.clear();
    std::copy_if(planned.begin(), planned.end(), std::back_inserter(step),
                 [&](const LinkEnds& link) { return why_not(link).empty(); });
    records.clear();
    for (const auto& link : planned) {
      records.push_back(describe(test, link, bytes));
      records.back().detail = why_not(link);
      if (is_incast()) records.back().settings.senders = count_senders(step, link.destination);
    }
    reports = order_and_hear(test, step, bytes);
    // If a sender of an incast is lost, the rates of the others are invalid: measure again without it.
    if (!is_incast() || team_.lost().size() == lost) break;
  }
  if (step.empty()) return records;
  if (is_incast()) note_received(test, step, bytes, reports);
  std::vector<PathEvidence> evidence;
  for (const auto& report : reports) evidence.push_back(report.evidence);
  const auto path = find_path(evidence, resources_.backend->way_out(), resources_.places, 1, step.front().source);
  for (auto& record : records) {
    if (!record.detail.empty()) continue;
    const auto& [source, destination] = *record.link;
    complete(record, reports[static_cast<std::size_t>(source)], reports[static_cast<std::size_t>(destination)], path);
  }
  return records;
}

void LinkScan::note_received(LinkTest test, const LinkStep& step, std::size_t bytes,
                             const std::vector<LinkReport>& reports) {
  for (const auto& links : by_destination(step)) {
    const int destination = links.front().destination;
    const double GBps = reports[static_cast<std::size_t>(destination)].received_GBps;
    if (test == LinkTest::bandwidth && GBps > 0)
      (is_alone_ ? received_alone_ : received_).push_back({destination, bytes, GBps});
  }
}

/// The reports are by rank.
std::vector<LinkReport> LinkScan::order_and_hear(LinkTest test, const LinkStep& step, std::size_t bytes) {
  std::vector<LinkReport> reports(static_cast<std::size_t>(resources_.control->size()));
  std::vector<LinkOrder> own;
  for (const auto& link : step) {
    LinkOrder order{.test = test,
                    .link = link,
                    .bytes = bytes,
                    .max_time_s = max_time_s_,
                    .takes_whole_time = takes_whole_time_,
                    .connection = connection_};
    for (const int rank : {link.source, link.destination}) {
      order.together = rank == link.source ? 1 : count_senders(step, rank);
      if (rank == 0) own.push_back(order);
      if (rank != 0) team_.tell(rank, encode(link_order_message, order));
      reports[static_cast<std::size_t>(rank)].failure = "lost " + on_host(rank, resources_.places.hosts);
    }
  }
  if (!own.empty()) reports[0] = own_.measure(own);
  for (const auto& [rank, message] : team_.hear(step))
    reports[static_cast<std::size_t>(rank)] =
        decode<LinkReport>(link_report_message, message, fmt::format("rank {}", rank));
  for (const auto& [rank, why] : team_.lost()) {
    auto& failure = reports[static_cast<std::size_t>(rank)].failure;
    if (!failure.empty()) failure += ": " + why;
  }
  return reports;
}

Record LinkScan::describe(LinkTest test, const LinkEnds& link, std::size_t bytes) const {
  const auto& hosts = resources_.places.hosts;
  const auto &from = hosts[static_cast<std::size_t>(link.source)],
             &to = hosts[static_cast<std::size_t>(link.destination)];
  Record record = describe_row(options_, resources_, run_id_);
  record.schema = Schema::link;
  record.collective = test;
  record.datatype = DataType::uint8;
  record.timing = test == LinkTest::bandwidth ? Timing::batch : Timing::each;
  record.size_bytes = record.count = bytes;
  record.nodes = from == to ? 1 : 2;
  record.link = link;
  record.settings.src_host = from;
  record.settings.dst_host = to;
  return record;
}

void LinkScan::complete(Record& record, const LinkReport& source, const LinkReport& destination, PathFinding path) {
  for (const auto* end : {&source, &destination}) {
    if (end->failure.empty()) continue;
    record.status = end->is_late ? Status::timeout : Status::failed;
    record.detail = end->failure;
    has_failed_ = true;
    return;
  }
  const auto& result = source.result;
  summarise(result.times_us, record);
  add_bandwidths(1, record);
  record.wrong_elements = result.wrong_bytes;
  record.stop_reason = result.stop_reason;
  const auto messages = std::max<std::uint64_t>(result.messages, 1);
  path.wire_bytes.reset();
  if (source.evidence.sent_bytes) path.wire_bytes = *source.evidence.sent_bytes / messages;
  path.retransmits = source.evidence.retransmits;
  path.least_us = least_us(source.evidence, source.evidence.needed_bytes / static_cast<double>(messages));
  // Other links ran at the same time, so only those whose own source sent too little bypassed the network.
  constexpr double counting_error = 0.99;
  const auto sent_bytes = static_cast<double>(source.evidence.sent_bytes.value_or(0));
  if (path.bypassed && sent_bytes >= counting_error * source.evidence.needed_bytes) {
    path.bypassed = false;
    path.detail.clear();
  }
  judge(path, resources_.backend->way_out(),
        {.count = result.wrong_bytes, .words = "received bytes differ from the bytes sent"}, record);
  resources_.backend->judge(record, resources_);
  is_wrong_ |= is_not_as_asked(record.status);
}

void LinkScan::conclude() const {
  const int ranks = resources_.control->size();
  const auto& hosts = resources_.places.hosts;
  auto findings = judge_links(records_, ranks, resources_.core_share.is_tight());
  // TCP shares a destination unequally among its senders, so a slow sender does not mean a slow link.
  if (is_incast()) {
    for (auto& table : findings) {
      table.ranks.clear();
      table.links.clear();
    }
  }
  print(lost_in_words(team_.lost(), hosts) +
        (is_incast()
             ? in_words(incasts_in(received_, records_), received_alone_, hosts)
             : in_words(findings, hosts) + in_words(find_shared(records_, alone_, again_), alone_.size(), hosts)));
  if (options_.pairs.kind == PairKind::bisection) print(bisection_in_words(records_));
  if (ranks <= most_ranks_shown) print(link_matrices(findings, records_, ranks));
}

}  // namespace ringmark
