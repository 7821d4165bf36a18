#include "analysis/job/hung.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ringmark::analysis::job {
namespace {

/// A call: communicator and sequence.
using CallKey = std::pair<std::size_t, std::uint64_t>;

struct Mismatch {
  CallKey call;
  std::vector<int> fewest;
  std::string fewest_called, others_called;
  bool is_tie = false;  ///< both calls have the same number of ranks
};

std::string called(const Call& call, bool with_shape) {
  return with_shape && !call.shape.empty() ? fmt::format("{} of {}", call.operation, call.shape) : call.operation;
}

/// The calls of a communicator by sequence and rank.
std::map<std::uint64_t, std::map<int, const Call*>> by_sequence(const GroupView& group) {
  std::map<std::uint64_t, std::map<int, const Call*>> calls;
  for (const auto& [rank, view] : group.ranks) {
    for (const auto& [sequence, call] : view.calls) calls[sequence][rank] = &call;
  }
  return calls;
}

/// How many ranks of other communicators called this at the same sequence: groups of the same kind make the same calls.
std::size_t callers_elsewhere(const Domain& domain, const GroupView& group, std::uint64_t sequence,
                              const std::string& operation) {
  std::size_t callers = 0;
  for (const auto& other : domain.groups) {
    if (other.communicator == group.communicator || other.members.size() != group.members.size()) continue;
    for (const auto& [rank, view] : other.ranks) {
      const auto call = view.calls.find(sequence);
      if (call != view.calls.end() && call->second.operation == operation) ++callers;
    }
  }
  return callers;
}

/// The first sequence at which ranks called different operations, or passed different sizes to one that has not ended.
std::optional<Mismatch> mismatch_in(const Domain& domain, const GroupView& group) {
  for (const auto& [sequence, calls] : by_sequence(group)) {
    std::set<std::string> operations;
    bool is_pending = false, has_shapes = true;
    for (const auto& [rank, call] : calls) {
      operations.insert(call->operation);
      is_pending = is_pending || call->state != CallState::completed;
      has_shapes = has_shapes && group.ranks.at(rank).has_shapes;
    }
    const bool by_shape = operations.size() == 1 && is_pending && has_shapes;
    std::map<std::string, std::vector<int>> ranks;
    for (const auto& [rank, call] : calls) ranks[called(*call, by_shape)].push_back(rank);
    if (ranks.size() < 2) continue;
    const auto support = [&, &at = sequence](const auto& callers) {
      return std::pair(callers.second.size(), callers_elsewhere(domain, group, at, callers.first));
    };
    const auto less = [&](const auto& a, const auto& b) { return support(a) < support(b); };
    const auto fewest = std::min_element(ranks.begin(), ranks.end(), less);
    const auto most = std::max_element(ranks.begin(), ranks.end(), less);
    Mismatch mismatch{{group.communicator, sequence}, fewest->second, fewest->first, most->first};
    mismatch.is_tie = ranks.size() == 2 && support(*fewest) == support(*most);
    return mismatch;
  }
  return std::nullopt;
}

class HungRanks {
 public:
  HungRanks(const Evidence& evidence, const Domain& domain, const WaitOptions& options)
      : evidence_(evidence), domain_(domain), waits_(waits_of(domain, options)), ranks_(job_ranks(evidence, options)) {
    for (const auto& wait : waits_) waited_for_.insert(wait.for_ranks.begin(), wait.for_ranks.end());
  }

  std::vector<Finding> find() {
    add_missing();
    add_mismatched();
    add_late();
    if (findings_.empty()) add_circle();
    if (findings_.empty()) add_unfinished();
    return std::move(findings_);
  }

 private:
  bool waits(int rank) const {
    return std::any_of(waits_.begin(), waits_.end(), [&](const Wait& each) { return each.rank == rank; });
  }
  /// The wait for a rank that began first.
  const Wait* first_wait_for(int rank) const {
    const Wait* first = nullptr;
    for (const auto& wait : waits_) {
      if (!wait.for_ranks.contains(rank)) continue;
      if (first == nullptr || (wait.since && (!first->since || *wait.since < *first->since))) first = &wait;
    }
    return first;
  }
  Finding about(FindingKind kind, std::vector<int> ranks, const Wait& wait) const {
    Finding finding{.kind = kind,
                    .ranks = std::move(ranks),
                    .communicator = wait.communicator,
                    .operation = wait.operation,
                    .since = wait.since};
    if (wait.sequence > 0) finding.sequence = wait.sequence;
    for (const auto& each : waits_) {
      if (each.communicator == wait.communicator && each.sequence == wait.sequence)
        finding.waiting.push_back(each.rank);
    }
    return finding;
  }
  std::string call_of(const Wait& wait) const {
    return wait.sequence > 0
               ? call_text(evidence_, wait.communicator, wait.operation, wait.sequence)
               : fmt::format("{} in {}", wait.operation, name(evidence_.communicators[wait.communicator]));
  }
  std::string name_of(const Finding& finding) const {
    return ranks_text(evidence_, finding.communicator, finding.ranks);
  }
  static bool is_one(const Finding& finding) { return finding.ranks.size() == 1; }

  /// Only dumps are expected from every rank.
  void add_missing() {
    if (!domain_.has_job_ranks || evidence_.dumped.empty()) return;
    std::vector<int> missing;
    for (int rank = 0; rank < ranks_; ++rank) {
      if (!evidence_.dumped.contains(rank)) missing.push_back(rank);
    }
    if (missing.empty()) return;
    const auto* wait = first_wait_for(missing.front());
    auto finding = wait != nullptr ? about(FindingKind::missing, missing, *wait) : after_the_last_call(missing);
    finding.sentence = fmt::format("{} {} missing: {} left no dump", name_of(finding), is_one(finding) ? "is" : "are",
                                   is_one(finding) ? "it" : "they");
    if (wait != nullptr) {
      finding.sentence +=
          fmt::format(", and {} {} in {}{}", ranks_text(finding.waiting),
                      finding.waiting.size() == 1 ? "waits" : "wait", call_of(*wait), since_text(wait->since));
    } else if (finding.communicator) {
      finding.sentence += fmt::format("; the last call of the others is {}{}",
                                      call_text(evidence_, *finding.communicator, finding.operation, *finding.sequence),
                                      since_text(finding.since));
    }
    findings_.push_back(std::move(finding));
  }

  /// The last call of the others, for when the loss of a rank ended their calls with an error and none waits any more.
  Finding after_the_last_call(const std::vector<int>& missing) const {
    Finding finding{.kind = FindingKind::missing, .ranks = missing};
    const Call* last = nullptr;
    for (const auto& group : domain_.groups) {
      for (const auto& [rank, view] : group.ranks) {
        const auto* call = view.last();
        const bool is_missings =
            std::any_of(missing.begin(), missing.end(), [&](int each) { return group.members.contains(each); });
        if (call == nullptr || !is_missings || (last != nullptr && call->created <= last->created)) continue;
        last = call;
        finding.communicator = group.communicator;
      }
    }
    if (last == nullptr) return finding;
    finding.operation = last->operation;
    finding.sequence = last->sequence;
    finding.since = last->created;
    return finding;
  }

  void add_mismatched() {
    for (const auto& group : domain_.groups) {
      const auto mismatch = mismatch_in(domain_, group);
      if (!mismatch) continue;
      const auto& call = group.ranks.at(mismatch->fewest.front()).calls.at(mismatch->call.second);
      Finding finding{.kind = FindingKind::mismatched,
                      .ranks = mismatch->fewest,
                      .communicator = group.communicator,
                      .operation = call.operation,
                      .sequence = call.sequence,
                      .since = call.created};
      for (const auto& [rank, view] : group.ranks) {
        if (view.calls.contains(call.sequence) &&
            std::find(finding.ranks.begin(), finding.ranks.end(), rank) == finding.ranks.end())
          finding.waiting.push_back(rank);
      }
      finding.sentence =
          fmt::format("{} called {} where {} called {}: sequence {} of {}{}", name_of(finding), mismatch->fewest_called,
                      ranks_text(finding.waiting), mismatch->others_called, call.sequence,
                      name(evidence_.communicators[group.communicator]), since_text(call.created));
      if (mismatch->is_tie) {
        finding.reason = "the same number of ranks made each call";
        finding.ranks.insert(finding.ranks.end(), finding.waiting.begin(), finding.waiting.end());
        std::sort(finding.ranks.begin(), finding.ranks.end());
      }
      odd_.insert(finding.ranks.begin(), finding.ranks.end());
      findings_.push_back(std::move(finding));
    }
  }

  bool is_explained(int rank) const {
    return odd_.contains(rank) ||
           (domain_.has_job_ranks && !evidence_.dumped.empty() && !evidence_.dumped.contains(rank));
  }

  /// Ranks that others wait for and that wait for nothing.
  void add_late() {
    std::map<CallKey, std::vector<int>> late;
    std::map<CallKey, const Wait*> first;
    for (const int rank : waited_for_) {
      if (waits(rank) || is_explained(rank)) continue;
      const auto* wait = first_wait_for(rank);
      const CallKey call{wait->communicator, wait->sequence};
      late[call].push_back(rank);
      first[call] = wait;
    }
    for (auto& [call, ranks] : late) {
      const auto& wait = *first[call];
      auto finding = about(FindingKind::late, std::move(ranks), wait);
      finding.sentence = fmt::format("{} {} late: {} not entered {}, for which {} {}{}", name_of(finding),
                                     is_one(finding) ? "is" : "are", is_one(finding) ? "it has" : "they have",
                                     call_of(wait), ranks_text(finding.waiting),
                                     finding.waiting.size() == 1 ? "waits" : "wait", since_text(wait.since));
      finding.reason = last_calls(finding.ranks);
      findings_.push_back(std::move(finding));
    }
  }

  /// "rank 2 last called all_reduce, sequence 3 of group 0, since …"
  std::string last_calls(const std::vector<int>& ranks) const {
    std::string text;
    for (const int rank : ranks) {
      const Call* last = nullptr;
      std::size_t communicator = 0;
      for (const auto& group : domain_.groups) {
        const auto found = group.ranks.find(rank);
        const auto* call = found == group.ranks.end() ? nullptr : found->second.last();
        if (call == nullptr || (last != nullptr && call->created <= last->created)) continue;
        last = call;
        communicator = group.communicator;
      }
      text +=
          fmt::format("{}rank {} {}", text.empty() ? "" : "; ", rank,
                      last == nullptr ? "has recorded no call"
                                      : fmt::format("last called {}{}",
                                                    call_text(evidence_, communicator, last->operation, last->sequence),
                                                    last->created ? " at" + since_text(last->created).substr(6) : ""));
      constexpr std::size_t most = 400;
      if (text.size() > most) return text + "; …";
    }
    return text;
  }

  /// In a cycle, all ranks that others wait for are waiting themselves: reports the call in which the fewest ranks
  /// wait.
  void add_circle() {
    std::map<CallKey, std::vector<int>> by_call;
    for (const auto& wait : waits_) {
      if (waited_for_.contains(wait.rank)) by_call[{wait.communicator, wait.sequence}].push_back(wait.rank);
    }
    if (by_call.empty()) return;
    const auto fewest = std::min_element(by_call.begin(), by_call.end(), [&](const auto& a, const auto& b) {
      return waiting_in(a.first) < waiting_in(b.first);
    });
    const auto& [call, ranks] = *fewest;
    const auto* wait = first_wait_for(ranks.front());
    const auto own = std::find_if(waits_.begin(), waits_.end(), [&, &key = call](const Wait& each) {
      return each.communicator == key.first && each.sequence == key.second;
    });
    auto finding = about(FindingKind::elsewhere, ranks, *wait);
    finding.sentence =
        fmt::format("{} {} in another collective: {}, and not in {}, where {} {}{}", name_of(finding),
                    is_one(finding) ? "is" : "are", call_of(*own), call_of(*wait), ranks_text(finding.waiting),
                    finding.waiting.size() == 1 ? "waits" : "wait", since_text(wait->since));
    findings_.push_back(std::move(finding));
  }
  std::size_t waiting_in(const CallKey& call) const {
    return static_cast<std::size_t>(std::count_if(waits_.begin(), waits_.end(), [&](const Wait& each) {
      return each.communicator == call.first && each.sequence == call.second;
    }));
  }

  /// Reports a call that all known ranks entered. If the devices of some have not begun it, these ranks are at fault.
  void add_unfinished() {
    std::set<CallKey> seen;
    for (const auto& wait : waits_) {
      if (!wait.for_ranks.empty() || !seen.insert({wait.communicator, wait.sequence}).second) continue;
      auto finding = about(FindingKind::unfinished, {}, wait);
      finding.is_decided = false;
      std::vector<int> not_started;
      for (const auto& each : waits_) {
        if (each.communicator == wait.communicator && each.sequence == wait.sequence &&
            each.state == CallState::scheduled)
          not_started.push_back(each.rank);
      }
      if (!not_started.empty() && not_started.size() < finding.waiting.size()) {
        finding.kind = FindingKind::not_started;
        finding.ranks = not_started;
        finding.is_decided = true;
        std::erase_if(finding.waiting,
                      [&](int rank) { return std::count(not_started.begin(), not_started.end(), rank) > 0; });
        finding.sentence = fmt::format("{} launched {}, but the device has not begun it, and {} {}{}", name_of(finding),
                                       call_of(wait), ranks_text(finding.waiting),
                                       finding.waiting.size() == 1 ? "waits" : "wait", since_text(wait.since));
      } else {
        finding.sentence = fmt::format("{} entered {}{}, which has not ended{}; no rank is known to be late",
                                       ranks_text(evidence_, finding.communicator, finding.waiting), call_of(wait),
                                       since_text(wait.since), ended_text(wait));
      }
      findings_.push_back(std::move(finding));
    }
  }
  static std::string ended_text(const Wait& wait) {
    if (!wait.ran) return "";
    const auto seconds = std::chrono::duration<double>(*wait.ran).count();
    return fmt::format(" within {:.4g} s, when the watchdog ended it{}", seconds,
                       wait.ended_at.empty() ? "" : fmt::format(" ({})", wait.ended_at));
  }

  const Evidence& evidence_;
  const Domain& domain_;
  std::vector<Wait> waits_;
  int ranks_;
  std::set<int> waited_for_, odd_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> hung_ranks(const Evidence& evidence, const WaitOptions& options) {
  std::vector<Finding> findings;
  for (const auto& domain : domains_of(evidence, options)) {
    auto some = HungRanks(evidence, domain, options).find();
    findings.insert(findings.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return findings;
}

}  // namespace ringmark::analysis::job
