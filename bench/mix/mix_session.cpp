#include "bench/mix/mix_session.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "bench/flags/groups.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/summary.hpp"
#include "bench/harness/transports.hpp"
#include "bench/mix/link_load.hpp"
#include "transports/exchange.hpp"

namespace ringmark::mix {

Path path_of(const MixGroup& group) { return {*group.transport, group.algorithm}; }

MixSession::MixSession(const MixOptions& options, const std::vector<MixGroup>& groups, std::vector<CutLink> links,
                       Resources& resources, RunId run_id, Sink* sink)
    : options_(options),
      groups_(groups),
      links_(std::move(links)),
      resources_(resources),
      run_id_(std::move(run_id)),
      sink_(sink),
      own_(groups.size()),
      alone_us_(groups.size()),
      together_us_(groups.size()),
      rounds_(groups.size(), std::vector<RoundTimes>(static_cast<std::size_t>(options.rounds))),
      wrong_(groups.size()) {
  // Until a group has run, a link of 1 MB/s is assumed: this bounds waits alone.
  for (std::size_t i = 0; i < groups.size(); ++i)
    alone_us_[i] = static_cast<double>(total_bytes(groups[i].operation(), static_cast<int>(groups[i].ranks.size())));
}

void MixSession::open_groups() {
  const int rank = control().rank();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto& group = groups_[i];
    auto& resources = resources_of(i);
    auto options = static_cast<const RunOptions&>(options_);
    options.transport = *group.transport;
    auto& world = worlds_[path_of(group)];
    if (world == nullptr) world = make_communicator(resources, options, group.algorithm);
    const bool is_member = group.has(rank);
    auto communicator =
        world->split(is_member ? group.ranks : std::vector<int>{rank}, Deadline::after(options_.timeout));
    if (!is_member) {
      others_.push_back(std::move(communicator));
    } else {
      own_[i].emplace();
      own_[i]->communicator = std::move(communicator);
    }
    try_out(i);
  }
}

/// Refuses what a group cannot do, on all ranks alike, and fills its buffers.
void MixSession::try_out(std::size_t index) {
  const auto& group = groups_[index];
  std::string why;
  if (auto& own = own_[index]) {
    auto& communicator = *own->communicator;
    const auto operation = group.operation();
    why = communicator.why_unsupported(operation, false).value_or("");
    const auto layout = layout_of(operation, communicator.size(), communicator.rank());
    own->buffers = std::make_unique<RunBuffers>(communicator.memory(), layout.send_bytes, layout.recv_bytes);
    for (const auto span : own->buffers->spans()) own->kept.push_back(std::make_unique<KeptMemory>(communicator, span));
    own->checked = std::make_unique<CheckedBuffers>(communicator.memory(), operation,
                                                    own->buffers->get(operation, communicator.rank(), false),
                                                    communicator.rank(), communicator.size());
    own->checked->fill();
    if (auto* device = communicator.device(); device != nullptr && why.empty())
      why = device->try_out(operation, own->checked->get(), options_.timeout).value_or("");
    if (why.empty()) own->sent_bytes = needed_wire_bytes(resources_of(index), communicator, operation, group.ranks);
  }
  for (const auto& each : exchange(control(), "refusal", why)) {
    if (!each.empty()) throw Unusable(fmt::format("group {}: {}", group.name, each));
  }
  using Told = std::tuple<std::string, bool>;
  Told mine;
  if (const auto& own = own_[index]) {
    const auto& communicator = *own->communicator;
    mine = {communicator.choice_for(group.operation(), false).algorithm,
            has_exact_result(group.operation(), communicator.size(), communicator.rounds_averages())};
  }
  const auto all = exchange(control(), "choice", mine);
  const auto& [algorithm, is_checked] = all[static_cast<std::size_t>(group.ranks.front())];
  algorithms_.push_back(algorithm);
  is_checked_.push_back(is_checked);
}

std::vector<GroupTimes> MixSession::play_window(const std::vector<std::size_t>& groups, const std::vector<int>& times,
                                                std::span<Record> rows) {
  std::vector<GroupTimes> played;
  record_failure(sink_, rows, [&] { played = play_and_gather(groups, times); });
  return played;
}

std::vector<GroupTimes> MixSession::play_and_gather(const std::vector<std::size_t>& groups,
                                                    const std::vector<int>& times) {
  std::vector<Part> parts;
  std::map<Path, double> needed;
  for (const auto group : groups) {
    auto& own = own_[group];
    if (!own) continue;
    own->checked->poison();
    parts.push_back({group, own->communicator.get(), groups_[group].operation(), own->checked->get()});
    needed[path_of(groups_[group])] += own->sent_bytes * times[group];
  }
  const auto offset = control().synchronise_clocks();
  std::map<Path, PathCounters> counters;
  for (auto& [path, resources] : resources_) counters.try_emplace(path, resources.backend->way_out());
  control().barrier();
  for (auto& [path, counter] : counters) counter.count(true);
  control().barrier();
  std::vector<Progress> progress;
  if (!parts.empty()) progress = play(parts, times, offset.to_rank0_us, options_.timeout);
  control().barrier(patience_for(groups, times));
  for (auto& [path, counter] : counters) counter.count(false);
  for (auto& [path, counter] : counters)
    findings_[path] = find_path(control(), counter, resources_.at(path).places, needed[path], 1,
                                groups_[groups.front()].ranks.front());

  std::vector<double> wrong(groups_.size());
  for (const auto& part : parts) {
    if (is_checked_[part.group]) wrong[part.group] = static_cast<double>(own_[part.group]->checked->count_wrong());
  }
  std::vector<std::vector<Progress>> by_group(groups_.size());
  for (const auto& rank : control().all_gather(pack(parts, progress))) unpack(rank, by_group);
  const auto all_wrong = control().all_gather(wrong);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    wrong_[group] = 0;
    for (std::size_t at = group; at < all_wrong.size(); at += groups_.size())
      wrong_[group] += static_cast<std::uint64_t>(all_wrong[at]);
  }
  std::vector<GroupTimes> merged;
  for (const auto group : groups) merged.push_back(merge(by_group[group]));
  return merged;
}

/// Ranks in none of the groups wait from the beginning of a window to its end.
Clock::duration MixSession::patience_for(const std::vector<std::size_t>& groups, const std::vector<int>& times) const {
  const auto& last_us = groups.size() == 1 ? alone_us_ : together_us_;
  double longest_us = 0;
  for (const auto group : groups) longest_us = std::max(longest_us, times[group] * last_us[group]);
  const double safety = 2 * static_cast<double>(groups.size());
  return options_.timeout +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::micro>(safety * longest_us));
}

/// All ranks keep and exchange the times of a window.
int MixSession::most_times() const { return std::clamp(2'000'000 / control().size(), 100, 20'000); }

int MixSession::times_for(double operation_us) const {
  constexpr double least = 3;
  const double window_us = options_.window.count() * 1e6;
  return static_cast<int>(
      std::clamp(window_us / std::max(operation_us, 1.0), least, static_cast<double>(most_times())));
}

void MixSession::alone(std::size_t group, int round) {
  std::vector<int> times(groups_.size());
  times[group] = times_for(alone_us_[group]);
  auto row = describe(group, true, round);
  const auto window = play_window({group}, times, std::span(&row, 1));
  auto all = while_all_ran(window).front();
  alone_us_[group] = median(all);
  complete(row, group, all);
  rounds_[group][static_cast<std::size_t>(round)].alone_us = std::move(all);
}

void MixSession::together(int round) {
  std::vector<std::size_t> all(groups_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<int> times;
  for (const double us : together_us_) times.push_back(times_for(us));
  std::vector<Record> rows;
  for (const auto group : all) rows.push_back(describe(group, false, round));
  const auto window = play_window(all, times, rows);
  auto shared = while_all_ran(window);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    // The next window shall end for all groups at about the same time.
    const auto& ends = window[group].end_us;
    together_us_[group] = !shared[group].empty()
                              ? median(shared[group])
                              : (ends.back() - window[group].begin_us) / static_cast<double>(ends.size());
    complete(rows[group], group, shared[group]);
    rounds_[group][static_cast<std::size_t>(round)].together_us = std::move(shared[group]);
  }
}

Record MixSession::describe(std::size_t index, bool is_alone, int round) {
  const auto& group = groups_[index];
  const auto& resources = resources_of(index);
  const auto operation = group.operation();
  const int ranks = static_cast<int>(group.ranks.size());
  auto row_options = static_cast<const RunOptions&>(options_);
  row_options.transport = *group.transport;
  Record record = describe_row(row_options, resources, run_id_);
  record.repetition = options_.repetition * options_.rounds + round;
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
  record.settings["group"] = group.name;
  record.settings["members"] = ranges_of(group.ranks);
  record.settings["beside"] = is_alone ? "alone" : "together";
  if (!group.counts_text.empty()) record.settings["counts"] = group.counts_text;
  if (group.root != 0) record.settings["root"] = fmt::format("{}", group.root);
  if (group.pattern != Pattern::ring) record.settings["pattern"] = name(group.pattern);
  record.algorithm_used = algorithms_[index];
  return record;
}

void MixSession::complete(Record& record, std::size_t index, const std::vector<double>& times_us) {
  const auto& group = groups_[index];
  auto& resources = resources_of(index);
  if (is_checked_[index]) record.wrong_elements = wrong_[index];
  if (!times_us.empty()) {
    summarise(times_us, record);
    add_bandwidths(bus_factor(group.operation(), record.ranks), record);
    record.stop_reason = StopReason::time;
  }
  auto path = findings_.at(path_of(group));
  path.wire_bytes.reset();  // the window's groups share the counters
  path.retransmits.reset();
  judge(path, resources.backend->way_out(), {.count = wrong_[index]}, record);
  if (!is_checked_[index] && record.detail.empty())
    record.detail = "not checked: averages of so many ranks are rounded";
  resources.backend->judge(record, resources);
  if (times_us.empty() && !is_not_as_asked(record.status)) {
    record.status = Status::failed;
    record.detail = "no operation ran while all groups did: give a longer --window";
  }
  if (is_not_as_asked(record.status)) all_right_ = false;
  if (is_failure(record.status)) has_failed_ = true;
  if (sink_ != nullptr) sink_->add(record, {});
}

/// The first operation tells how long to wait for the others.
void MixSession::warm_up(std::size_t group) {
  const auto run = [&](int operations) {
    std::vector<int> times(groups_.size());
    times[group] = operations;
    auto row = describe(group, true, 0);  // written if this fails
    alone_us_[group] = median(while_all_ran(play_window({group}, times, std::span(&row, 1))).front());
  };
  run(1);
  for (int left = std::max(options_.warmup, 1); left > 0; left -= most_times()) run(std::min(left, most_times()));
  together_us_[group] = 2 * alone_us_[group];
}

int MixSession::run() {
  open_groups();
  std::vector<std::size_t> order(groups_.size() + 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t group = 0; group < groups_.size(); ++group) warm_up(group);
  std::mt19937_64 random(options_.seed);
  for (int round = 0; round < options_.rounds; ++round) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const auto which : order) which == groups_.size() ? together(round) : alone(which, round);
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    auto& result = results_.emplace_back();
    result.group = &groups_[group];
    std::vector<double> alone, together;
    for (const auto& round : rounds_[group]) {
      alone.insert(alone.end(), round.alone_us.begin(), round.alone_us.end());
      together.insert(together.end(), round.together_us.begin(), round.together_us.end());
    }
    if (!alone.empty()) result.alone_us = median(alone);
    if (!together.empty()) result.together_us = median(together);
  }
  share_out();
  if (sink_ != nullptr) {  // the resampling takes a moment, and only rank 0 reports
    for (std::size_t group = 0; group < groups_.size(); ++group) results_[group].slowdown = slowdown_of(rounds_[group]);
  }
  return has_failed_ ? exit_failed : all_right_ ? exit_ok : exit_wrong;
}

void MixSession::share_out() {
  const auto sent_bytes = [&](std::size_t group, const std::function<bool(int)>& crosses) {
    const auto& own = own_[group];
    return own ? own->communicator->sent_bytes(groups_[group].operation(), crosses) : 0;
  };
  const auto& hosts = resources_.begin()->second.places.hosts;
  auto bytes = bytes_on_links(control(), links_, hosts, groups_, sent_bytes);
  if (!bytes) return;
  SharedLoad load;
  for (const auto& link : links_) load.bytes_per_s.insert(load.bytes_per_s.end(), 2, link.bytes_per_s);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (results_[group].alone_us == 0) return;
    load.alone_per_s.push_back(1e6 / results_[group].alone_us);
    results_[group].busiest_bytes = *std::max_element((*bytes)[group].begin(), (*bytes)[group].end());
  }
  load.bytes = *std::move(bytes);
  const auto shares = fair_shares(load);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    results_[group].fair_us = 1e6 / shares[group].operations_per_s;
    if (shares[group].link)
      results_[group].link =
          fmt::format("{} {}", links_[*shares[group].link / 2].name, *shares[group].link % 2 == 0 ? "up" : "down");
  }
}

}  // namespace ringmark::mix
