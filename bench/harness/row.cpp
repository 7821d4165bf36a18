#include "bench/harness/row.hpp"

#include <set>

#include "base/errors.hpp"
#include "base/system/watchdog.hpp"
#include "results/provenance.hpp"

namespace ringmark {

Record describe_row(const RunOptions& options, const RankResources& resources, const RunId& run_id) {
  Record record;
  record.run_id = run_id;
  record.time_utc = now_utc();
  record.transport = options.transport;
  record.memory = resources.backend->memory().kind();
  record.ranks = resources.control->size();
  record.nodes =
      static_cast<int>(std::set<std::string>(resources.places.hosts.begin(), resources.places.hosts.end()).size());
  record.repetition = options.repetition;
  record.settings = options.settings;
  resources.backend->describe(record);
  return record;
}

void record_failure(Sink* sink, Record& record, const std::function<void()>& body) {
  try {
    const LastWords words([&](const std::string& why) {
      record.status = Status::timeout;
      record.detail = why;
      if (sink != nullptr) sink->add(record, {});
    });
    body();
  } catch (const std::exception& error) {
    record.status = dynamic_cast<const TimedOut*>(&error) != nullptr ? Status::timeout : Status::failed;
    record.detail = error.what();
    try {
      if (sink != nullptr) sink->add(record, {});
    } catch (const std::exception&) {
      // The failure itself matters more than that it could not be recorded.
    }
    throw;
  }
}

void judge(const PathFinding& path, const WayOut& way_out, const WrongResults& wrong, Record& record) {
  record.network = network_of(path, way_out, record);
  record.wire_bytes = path.wire_bytes;
  record.retransmits = path.retransmits;
  record.status = wrong.count > 0 ? Status::wrong : path.bypassed ? Status::bypassed : Status::ok;
  record.detail = wrong.count > 0 ? std::string(wrong.words) : path.detail.empty() ? path.events : path.detail;
}

void mark_ignored(Record& record, const std::string& why) {
  if (record.status != Status::ok) return;
  record.status = Status::ignored;
  record.detail = why;
}

}  // namespace ringmark
