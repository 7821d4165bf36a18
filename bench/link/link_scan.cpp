#include "bench/link/link_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/summary.hpp"
#include "bench/link/link_report.hpp"
#include "bench/link/sharing.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

/// The links of more ranks are too many for a screen: then the CSV has them.
constexpr int most_ranks_shown = 16;
/// If the user gives no time: a scan of many steps takes about a minute with its warm-ups.
constexpr std::chrono::duration<double> usual_time{45}, least_time{0.1};

void print(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

std::string on_host(int rank, const std::vector<std::string>& hosts) {
  return fmt::format("rank {} on {}", rank, hosts[static_cast<std::size_t>(rank)]);
}

}  // namespace

LinkScan::LinkScan(const LinkOptions& options, RankResources& resources, RunId run_id, Sink* csv)
    : options_(options),
      resources_(resources),
      run_id_(std::move(run_id)),
      csv_(csv),
      own_(options, resources),
      team_(resources.endpoint, options.timeout),
      max_time_s_(options.max_time.count()) {}

int LinkScan::run() {
  const auto steps =
      steps_of(options_.pairs, ways_out(), static_cast<std::size_t>(options_.most_at_once), options_.leaf_of);
  const auto rows = steps.size() * measurements().size();
  if (!options_.time_is_given && rows > 0)
    max_time_s_ =
        std::clamp(usual_time / static_cast<double>(rows), least_time, std::max(least_time, options_.max_time)).count();
  print((steps.size() > 1 ? estimate(steps, rows) : "") + link_header());
  try {
    walk(steps);
    if (std::any_of(steps.begin(), steps.end(), [](const LinkStep& step) { return step.size() > 1; })) repeat_alone();
  } catch (const std::exception&) {
    conclude();
    throw;
  }
  conclude();
  const int status = has_failed_ || !team_.lost().empty() ? exit_failed : is_wrong_ ? exit_wrong : exit_ok;
  LinkOrder last;
  last.is_last = true;
  last.exit_status = status;
  for (int rank = 1; rank < resources_.control->size(); ++rank) team_.tell(rank, encode(link_order_message, last));
  return status;
}

LinkScan::Measurements LinkScan::measurements() const {
  Measurements all;
  for (const auto test : options_.tests) {
    for (const auto bytes : test == LinkTest::latency ? options_.latency_sizes : options_.bandwidth_sizes)
      all.emplace_back(test, bytes);
  }
  return all;
}

/// By rank; ranks that share one take turns.
std::vector<std::string> LinkScan::ways_out() const {
  const auto& places = resources_.places;
  std::vector<std::string> ways_out;
  for (std::size_t rank = 0; rank < places.hosts.size(); ++rank)
    ways_out.push_back(places.hosts[rank] + " " + places.ways_out[rank]);
  return ways_out;
}

std::string LinkScan::estimate(const std::vector<LinkStep>& steps, std::size_t measurements) const {
  std::size_t links = 0, most = 0;
  for (const auto& step : steps) {
    links += step.size();
    most = std::max(most, step.size());
  }
  auto text = fmt::format("# {} links in {} steps, at most {} at once", links, steps.size(), most);
  if (options_.iterations) return text + "\n";
  // The warm-up and the last block come on top, and ranks that share cores wait for one another.
  constexpr double on_top = 1.5;
  return text + fmt::format(": about {:.0f} s at most (--max-time {:.2g})\n",
                            std::ceil(on_top * max_time_s_ * static_cast<double>(measurements)), max_time_s_);
}

void LinkScan::walk(const std::vector<LinkStep>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // The pairs of a step follow once more, the other way round.
    if (i % 2 == 0) ++connection_;
    for (const auto& [test, bytes] : measurements()) take(measure_step(test, steps[i], bytes));
  }
}

void LinkScan::take(std::vector<Record> records) {
  const bool shows_lines = resources_.control->size() <= most_ranks_shown;
  for (auto& record : records) {
    if (shows_lines) print(link_line(record));
    if (csv_ != nullptr) csv_->add(record, {});
    if (!is_failure(record.status)) records_.push_back(std::move(record));
  }
}

void LinkScan::repeat_alone() {
  for (const auto row : choose_for_alone(records_, static_cast<std::size_t>(options_.repeat_alone))) {
    ++connection_;
    auto records = measure_step(LinkTest::bandwidth, {*records_[row].link}, records_[row].size_bytes);
    std::copy_if(std::make_move_iterator(records.begin()), std::make_move_iterator(records.end()),
                 std::back_inserter(alone_), [](const Record& record) { return !is_failure(record.status); });
  }
}

std::string LinkScan::why_not(const LinkEnds& link) const {
  for (const int rank : {link.source, link.destination}) {
    if (team_.is_lost(rank)) return fmt::format("not measured: lost {}", on_host(rank, resources_.places.hosts));
  }
  return "";
}

std::vector<Record> LinkScan::measure_step(LinkTest test, const LinkStep& planned, std::size_t bytes) {
  LinkStep step;
  std::copy_if(planned.begin(), planned.end(), std::back_inserter(step),
               [&](const LinkEnds& link) { return why_not(link).empty(); });
  std::vector<Record> records;
  for (const auto& link : planned) {
    records.push_back(describe(test, link, bytes));
    records.back().detail = why_not(link);
  }
  const auto reports = order_and_hear(test, step, bytes);
  if (step.empty()) return records;
  std::vector<PathEvidence> evidence;
  for (const auto& report : reports) evidence.push_back(report.evidence);
  const auto path = find_path(evidence, resources_.backend->way_out(), resources_.places, 1, step.front().source);
  for (auto& record : records) {
    if (!record.detail.text().empty()) continue;
    const auto& [source, destination] = *record.link;
    complete(record, reports[static_cast<std::size_t>(source)], reports[static_cast<std::size_t>(destination)], path);
  }
  return records;
}

/// By rank.
std::vector<LinkReport> LinkScan::order_and_hear(LinkTest test, const LinkStep& step, std::size_t bytes) {
  std::vector<LinkReport> reports(static_cast<std::size_t>(resources_.control->size()));
  std::optional<LinkOrder> own;
  for (const auto& link : step) {
    const LinkOrder order{
        .test = test, .link = link, .bytes = bytes, .max_time_s = max_time_s_, .connection = connection_};
    for (const int rank : {link.source, link.destination}) {
      if (rank == 0) own = order;
      if (rank != 0) team_.tell(rank, encode(link_order_message, order));
      reports[static_cast<std::size_t>(rank)].failure = "lost " + on_host(rank, resources_.places.hosts);
    }
  }
  if (own) reports[0] = own_.measure(*own);
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
  record.settings["src_host"] = from;
  record.settings["dst_host"] = to;
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
  // Only links whose own source sent too little have bypassed the network; others ran at the same time.
  constexpr double counting_error = 0.99;
  const auto sent_bytes = static_cast<double>(source.evidence.sent_bytes.value_or(0));
  if (path.bypassed && sent_bytes >= counting_error * source.evidence.needed_bytes) {
    path.bypassed = false;
    path.detail.clear();
  }
  judge(path, resources_.backend->way_out(),
        {.count = result.wrong_bytes, .words = "received bytes differ from those that were sent"}, record);
  resources_.backend->judge(record, resources_);
  is_wrong_ |= is_not_as_asked(record.status);
}

std::string LinkScan::lost_in_words() const {
  std::string text;
  for (const auto& [rank, why] : team_.lost())
    text += fmt::format("\nlost {}: {}; all links between the other ranks are measured",
                        on_host(rank, resources_.places.hosts), why);
  return text.empty() ? text : text + "\n";
}

void LinkScan::conclude() const {
  const int ranks = resources_.control->size();
  const auto& hosts = resources_.places.hosts;
  const auto findings = judge_links(records_, ranks, resources_.core_share.is_tight());
  print(lost_in_words() + in_words(findings, hosts) + in_words(find_shared(records_, alone_), alone_.size(), hosts));
  if (options_.pairs.kind == PairKind::bisection) print(bisection_in_words(records_));
  if (ranks <= most_ranks_shown) print(link_matrices(findings, records_, ranks));
}

}  // namespace ringmark
