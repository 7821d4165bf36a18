#include "bench/harness/row.hpp"

#include <numeric>

#include "base/errors.hpp"
#include "base/system/watchdog.hpp"
#include "results/files/provenance.hpp"
#include "results/files/rank_hosts.hpp"

namespace ringmark {

Record describe_row(const RunOptions& options, const RankResources& resources, const std::string& run_id) {
  Record record;
  record.run_id = run_id;
  record.time_utc = now_utc();
  record.transport = options.transport;
  record.memory = resources.backend->memory().kind();
  record.ranks = resources.control->size();
  record.repetition = options.repetition;
  record.settings.others = options.settings;
  record.settings.version = version();
  for (const auto& [library, version] : resources.library_versions) record.settings.others[library] = version;
  resources.backend->describe(record);
  return record;
}

void place_row(const std::vector<std::string>& hosts, std::span<const int> ranks, Record& record) {
  std::vector<std::string> of_ranks;
  for (const int rank : ranks) of_ranks.push_back(hosts[static_cast<std::size_t>(rank)]);
  record.nodes = count_hosts(hosts, ranks);
  record.settings.hosts = rank_hosts_text(of_ranks);
}

void place_row(const std::vector<std::string>& hosts, Record& record) {
  std::vector<int> ranks(hosts.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  place_row(hosts, ranks, record);
}

void record_failure(Sink* sink, std::span<Record> records, const std::function<void()>& body) {
  const auto tell = [&](Status status, const std::string& why) {
    for (auto& record : records) {
      record.status = status;
      record.detail = why;
      if (sink != nullptr) sink->add(record, {});
    }
  };
  try {
    const LastWords words([&](const std::string& why) { tell(Status::timeout, why); });
    body();
  } catch (const std::exception& error) {
    try {
      tell(dynamic_cast<const TimedOut*>(&error) != nullptr ? Status::timeout : Status::failed, error.what());
    } catch (const std::exception&) {
      // The failure itself matters more than the failure to record it.
    }
    throw;
  }
}

void record_failure(Sink* sink, Record& record, const std::function<void()>& body) {
  record_failure(sink, std::span(&record, 1), body);
}

void judge(const PathFinding& path, const WayOut& way_out, const WrongResults& wrong, Record& record) {
  record.network = network_of(path, way_out, record);
  record.wire_bytes = path.wire_bytes;
  record.retransmits = path.retransmits;
  record.status = wrong.count > 0 ? Status::wrong : path.bypassed ? Status::bypassed : Status::ok;
  record.detail = wrong.count > 0 ? std::string(wrong.words) : path.detail.empty() ? path.events : path.detail;
  // A burst is faster than the link by definition.
  const double median_us = record.time_us_p50.value_or(0);
  if (median_us > 0 && median_us < path.least_us && record.collective != LinkTest::burst)
    record.caveats.emplace_back(FasterThanLink{100 * path.least_us / median_us});
}

void mark_ignored(Record& record, const std::string& why) {
  if (record.status != Status::ok) return;
  record.status = Status::ignored;
  record.detail = why;
}

}  // namespace ringmark
