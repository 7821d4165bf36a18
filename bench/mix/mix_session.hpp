// One rank's part of a mix: rounds of each group alone and of all together.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/system/deadline.hpp"
#include "bench/harness/checked_buffers.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/rank_resources.hpp"
#include "bench/harness/run_buffers.hpp"
#include "bench/mix/fair_share.hpp"
#include "bench/mix/group_result.hpp"
#include "bench/mix/mix_groups.hpp"
#include "bench/mix/mix_options.hpp"
#include "bench/mix/pace.hpp"
#include "bench/mix/slowdown.hpp"
#include "bench/mix/window.hpp"
#include "results/files/sink.hpp"

namespace ringmark::mix {

/// Groups with the same transport and algorithm share RankResources and the communicator that they are split from.
struct Path {
  Transport transport;
  std::string algorithm;
  auto operator<=>(const Path&) const = default;
};
Path path_of(const MixGroup& group);
using Resources = std::map<Path, RankResources>;

class MixSession {
 public:
  /// `sink` is null except on rank 0. The links are the file's, the hosts' and the lab's.
  MixSession(const MixOptions& options, const std::vector<MixGroup>& groups, std::vector<CutLink> links,
             Resources& resources, std::string run_id, Sink* sink);

  /// Returns exit_ok; exit_failed if a window measured nothing for a group; exit_wrong if a result was wrong or took
  /// another path.
  int run();
  const std::vector<GroupResult>& results() const { return results_; }

 private:
  struct Own {
    std::unique_ptr<Communicator> communicator;
    std::unique_ptr<RunBuffers> buffers;
    std::vector<std::unique_ptr<KeptMemory>> kept;
    std::unique_ptr<CheckedBuffers> checked;
    double sent_bytes = 0;  ///< on its way out, per operation
  };

  void open_groups();
  void try_out(std::size_t group);
  /// Each group's times in a window of some groups. If it fails, the groups' rows record it.
  std::vector<GroupTimes> play_window(const std::vector<std::size_t>& groups, const std::vector<int>& times,
                                      std::span<Record> rows);
  std::vector<GroupTimes> play_and_gather(const std::vector<std::size_t>& groups, const std::vector<int>& times);
  void alone(std::size_t group, int round);
  void together(int round);
  Record describe(std::size_t group, bool is_alone, int round);
  /// Adds what the last window measured, and writes it to the sink.
  void complete(Record& record, std::size_t group, const std::vector<double>& times_us);
  void warm_up(std::size_t group);
  /// On rank 0, every few seconds.
  void tell_progress(std::string_view work, std::size_t group);
  void share_out();
  Control& control() const { return *resources_.begin()->second.control; }
  RankResources& resources_of(std::size_t group) { return resources_.at(path_of(groups_[group])); }

  const MixOptions& options_;
  const std::vector<MixGroup>& groups_;
  std::vector<CutLink> links_;
  Resources& resources_;
  std::string run_id_;
  Sink* sink_;
  std::map<Path, std::unique_ptr<Communicator>> worlds_;  ///< of all ranks; groups are split from them
  std::vector<std::unique_ptr<Communicator>> others_;     ///< of only this rank, from splits for other ranks' groups
  std::vector<std::optional<Own>> own_;                   ///< by group; empty if this rank is not in it
  std::vector<std::string> algorithms_;                   ///< by group, as reported by its first rank
  std::vector<bool> is_checked_;                          ///< by group; false if the exact result is unknown
  Pace pace_;
  std::vector<std::vector<RoundTimes>> rounds_;  ///< by group and round
  std::vector<std::uint64_t> wrong_;             ///< by group, in the last window
  std::map<Path, PathFinding> findings_;         ///< of the last window
  std::vector<GroupResult> results_;
  Deadline next_note_ = Deadline::after(std::chrono::seconds(5));
  bool all_right_ = true, has_failed_ = false;
};

}  // namespace ringmark::mix
