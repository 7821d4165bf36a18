#include "bench/mix/mix_session.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/with_count.hpp"
#include "bench/harness/algorithm_trial.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/transports.hpp"
#include "bench/mix/link_load.hpp"
#include "bench/mix/mix_row.hpp"
#include "transports/exchange.hpp"

namespace ringmark::mix {

Path path_of(const MixGroup& group) { return {*group.transport, group.algorithm}; }

MixSession::MixSession(const MixOptions& options, const std::vector<MixGroup>& groups, std::vector<CutLink> links,
                       Resources& resources, std::string run_id, Sink* sink)
    : options_(options),
      groups_(groups),
      links_(std::move(links)),
      resources_(resources),
      run_id_(std::move(run_id)),
      sink_(sink),
      own_(groups.size()),
      pace_(groups, options.window, control().size()),
      rounds_(groups.size(), std::vector<RoundTimes>(static_cast<std::size_t>(options.rounds))),
      wrong_(groups.size()) {}

void MixSession::open_groups() {
  const int rank = control().rank();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    tell_progress("connecting", i);
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

/// Fills the group's buffers. Throws Unusable on all ranks if the group cannot run its operation.
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
  Buffers buffers{};
  if (own_[index]) buffers = own_[index]->checked->get();
  auto& communicator = own_[index] ? *own_[index]->communicator : *others_.back();
  try_algorithms(communicator, control(), group.operation(), buffers, options_.window, options_.timeout);
  resources_of(index).backend->keep_choices(options_);
  using Told = std::tuple<std::string, bool>;
  Told mine;
  if (own_[index]) {
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
  // Ranks in no group wait from the start of a window to its end.
  control().barrier(options_.timeout + pace_.longest(groups, times));
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

void MixSession::alone(std::size_t group, int round) {
  std::vector<int> times(groups_.size());
  times[group] = pace_.times_alone(group);
  auto row = describe(group, true, round);
  const auto window = play_window({group}, times, std::span(&row, 1));
  auto all = while_all_ran(window).front();
  pace_.took_alone(group, median(all));
  complete(row, group, all);
  rounds_[group][static_cast<std::size_t>(round)].alone_us = std::move(all);
}

void MixSession::together(int round) {
  std::vector<std::size_t> all(groups_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto times = pace_.times_together();
  std::vector<Record> rows;
  for (const auto group : all) rows.push_back(describe(group, false, round));
  const auto window = play_window(all, times, rows);
  auto shared = while_all_ran(window);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const auto& ends = window[group].end_us;
    pace_.took_together(group, !shared[group].empty()
                                   ? median(shared[group])
                                   : (ends.back() - window[group].begin_us) / static_cast<double>(ends.size()));
    complete(rows[group], group, shared[group]);
    rounds_[group][static_cast<std::size_t>(round)].together_us = std::move(shared[group]);
  }
}

Record MixSession::describe(std::size_t group, bool is_alone, int round) {
  auto record = describe_group(options_, groups_[group], resources_of(group), run_id_);
  record.repetition = options_.repetition * options_.rounds + round;
  record.settings.beside = is_alone ? Company::alone : Company::together;
  record.algorithm_used = algorithms_[group];
  return record;
}

void MixSession::complete(Record& record, std::size_t group, const std::vector<double>& times_us) {
  const GroupInWindow window{.times_us = times_us,
                             .is_checked = is_checked_[group],
                             .wrong_elements = wrong_[group],
                             .path = findings_.at(path_of(groups_[group]))};
  complete_row(window, groups_[group], resources_of(group), record);
  if (is_not_as_asked(record.status)) all_right_ = false;
  if (is_failure(record.status)) has_failed_ = true;
  if (sink_ != nullptr) sink_->add(record, {});
}

/// Starts with a single operation; its time bounds how long other ranks wait for the next ones.
void MixSession::warm_up(std::size_t group) {
  const auto run = [&](int operations) {
    std::vector<int> times(groups_.size());
    times[group] = operations;
    auto row = describe(group, true, 0);  // written if this fails
    pace_.took_alone(group, median(while_all_ran(play_window({group}, times, std::span(&row, 1))).front()));
  };
  run(1);
  const int most = pace_.most_times();
  for (int left = std::max(options_.warmup, 1); left > 0; left -= most) run(std::min(left, most));
  pace_.guess_together(group);
}

/// Thousands of groups take minutes, and a user might think the run is stuck.
void MixSession::tell_progress(std::string_view work, std::size_t group) {
  constexpr auto between_notes = std::chrono::seconds(5);
  if (sink_ == nullptr || !next_note_.passed()) return;
  next_note_ = Deadline::after(between_notes);
  fmt::print(stderr, "ringmark: {}: {} of {}\n", work, group, with_count(groups_.size(), "group"));
}

int MixSession::run() {
  open_groups();
  std::vector<std::size_t> order(groups_.size() + 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    tell_progress("warming up", group);
    warm_up(group);
  }
  std::mt19937_64 random(options_.seed);
  for (int round = 0; round < options_.rounds; ++round) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (std::size_t i = 0; i < order.size(); ++i) {
      tell_progress(fmt::format("round {} of {}", round + 1, options_.rounds), i);
      order[i] == groups_.size() ? together(round) : alone(order[i], round);
    }
  }
  for (std::size_t group = 0; group < groups_.size(); ++group)
    results_.push_back(medians_of(groups_[group], rounds_[group]));
  share_out();
  if (sink_ != nullptr) {  // resampling takes a moment, and only rank 0 reports
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
  if (bytes) add_fair_shares(links_, *std::move(bytes), results_);
}

}  // namespace ringmark::mix
