#include "bench/mix/mix_row.hpp"

#include <fmt/format.h>

#include "bench/flags/groups.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/summary.hpp"

namespace ringmark::mix {

Record describe_group(const MixOptions& options, const MixGroup& group, const RankResources& resources,
                      const std::string& run_id) {
  const auto operation = group.operation();
  const int ranks = static_cast<int>(group.ranks.size());
  auto row_options = static_cast<const RunOptions&>(options);
  row_options.transport = *group.transport;
  Record record = describe_row(row_options, resources, run_id);
  record.ranks = ranks;
  place_row(resources.places.hosts, group.ranks, record);
  record.algorithm = group.algorithm;
  record.collective = group.collective;
  record.datatype = group.type;
  if (reduces(group.collective)) record.op = group.op;
  record.timing = Timing::each;
  record.size_bytes = total_bytes(operation, ranks);
  record.count = operation.count;
  record.start = Start::barrier;
  record.settings.group = group.name;
  record.settings.members = ranges_of(group.ranks);
  record.settings.counts = group.counts_text;
  if (group.root != 0) record.settings.root = group.root;
  if (group.pattern != Pattern::ring) record.settings.pattern = group.pattern;
  return record;
}

void complete_row(const GroupInWindow& window, const MixGroup& group, RankResources& resources, Record& record) {
  if (window.is_checked) record.wrong_elements = window.wrong_elements;
  if (!window.times_us.empty()) {
    summarise(window.times_us, record);
    add_bandwidths(bus_factor(group.operation(), record.ranks), record);
    record.stop_reason = StopReason::time;
  }
  auto path = window.path;
  path.wire_bytes.reset();  // the counters include all of the window's groups
  path.retransmits.reset();
  path.least_us = 0;
  judge(path, resources.backend->way_out(), {.count = window.wrong_elements}, record);
  if (!window.is_checked && record.detail.empty())
    record.detail = "not checked: averages over this many ranks are rounded";
  resources.backend->judge(record, resources);
  if (window.times_us.empty() && !is_not_as_asked(record.status)) {
    record.status = Status::failed;
    record.detail = "no operation ran while all groups did: give a longer --window";
  }
}

}  // namespace ringmark::mix
