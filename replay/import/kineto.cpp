#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/text/spelling.hpp"
#include "replay/import/formats.hpp"
#include "replay/import/kineto_calls.hpp"
#include "replay/import/kineto_groups.hpp"
#include "replay/import/messages.hpp"
#include "replay/import/named_groups.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

struct Kernel {
  double begin_us, end_us;
};

/// Microseconds of [from, to) in which at least one kernel ran.
double covered(const std::vector<Kernel>& kernels, double from, double to) {
  double sum = 0, until = from;
  for (const auto& kernel : kernels) {
    if (kernel.begin_us >= to) break;
    const double begin = std::max(kernel.begin_us, until), end = std::min(kernel.end_us, to);
    if (end > begin) sum += end - begin, until = end;
  }
  return sum;
}

/// The marked steps, "ProfilerStep#7", on the host or on the GPU.
class Marks {
 public:
  void add(std::string_view name, double begin_us, double end_us) {
    const auto digits = name.substr(name.find('#') + 1);
    int number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc() || number < 0) return;
    auto& [from, to] = steps_.emplace(number, std::pair{begin_us, end_us}).first->second;
    from = std::min(from, begin_us);
    to = std::max(to, end_us);
    end_us_ = std::max(end_us_, end_us);
  }
  std::size_t count() const { return steps_.size(); }

  /// The number of the step that began last; -1 before the first step, after the last one, and without steps.
  int step_at(double us) const {
    int last = -1;
    for (const auto& [number, span] : steps_) {
      if (span.first <= us && us < end_us_) last = number;
    }
    return last;
  }

 private:
  std::map<int, std::pair<double, double>> steps_;
  double end_us_ = -std::numeric_limits<double>::infinity();
};

/// A message has its peer's number in the group as "Rank", and that among all ranks as "Dst Rank" or "Src Rank".
std::optional<Call> message_of(const Json& args, const std::vector<int>& members, bool is_sent,
                               const Imported& recording) {
  const auto type = type_named(args.value("dtype", ""));
  const auto elements = number_in(args, "In msg nelems").value_or(0);
  if (!type || elements == 0) return std::nullopt;
  const int size = rank_in(args, "Group size");
  const int known_ranks = recording.ranks.value_or(0);
  int peer = rank_in(args, "Rank");
  if (peer < 0) peer = number_among(members, size, known_ranks, rank_in(args, is_sent ? "Dst Rank" : "Src Rank"));
  return call_of({is_sent, peer, elements, *type}, Phase::backward);
}

std::optional<Call> call_in(const Json& args, const std::vector<int>& members, const Sizes& sizes,
                            const Imported& recording) {
  if (const auto kind = message_named(args.value("Collective name", "")))
    return message_of(args, members, *kind == MessageKind::send, recording);
  const auto collective = collective_named(args.value("Collective name", ""));
  const auto type = type_named(args.value("dtype", ""));
  if (!collective || !type) return std::nullopt;
  Call call{*collective, 0, *type, 0, Phase::backward, true, 0};
  call.elements = sizes.full(*collective);
  if (is_rooted(*collective)) call.root = std::max(0, rank_in(args, "Rank"));
  call.is_uneven = sizes.are_uneven(*collective);
  call.parts = sizes.sent_parts(*collective);
  return call.elements > 0 || !call.parts.empty() ? std::optional(call) : std::nullopt;
}

/// The record's name in `not_understood`, with its type if that is what is unknown.
std::string unknown_record(const Json& args) {
  const auto name = args.value("Collective name", ""), type = args.value("dtype", "");
  const bool is_known = message_named(name) || collective_named(name);
  return is_known && !type.empty() && !type_named(type) ? fmt::format("{} of dtype {}", name, type) : name;
}

/// Kernels that move data between GPUs without NCCL: of inference servers, symmetric memory and expert parallelism.
/// Nothing records their sizes.
bool is_collective_of_another_library(std::string_view kernel) {
  constexpr std::array<std::string_view, 17> parts{
      "all_reduce",     "allreduce",     "AllReduce",  "all_gather",        "allgather",           "AllGather",
      "reduce_scatter", "ReduceScatter", "all_to_all", "alltoall",          "cross_device_reduce", "nvshmem",
      "rocshmem",       "AllToAll",      "deep_ep::",  "::ep::internode::", "::ep::intranode::"};
  return std::any_of(parts.begin(), parts.end(), [&](auto part) { return kernel.find(part) != kernel.npos; });
}

/// "kernel" of "void (anonymous namespace)::kernel<float>(float*)".
std::string function_of(std::string_view kernel) {
  constexpr std::string_view nameless = "(anonymous namespace)::";
  if (const auto at = kernel.find(nameless); at != kernel.npos) kernel.remove_prefix(at + nameless.size());
  kernel = kernel.substr(0, kernel.find_first_of("<("));
  const auto last = kernel.find_last_of(" :");
  return std::string(last == kernel.npos ? kernel : kernel.substr(last + 1));
}

/// Collects a trace's events, then turns them into calls.
class KinetoReader {
 public:
  KinetoReader(Imported& imported, const Json& distributed) : imported_(imported), groups_(distributed) {}

  void take(const Json& event) {
    if (event.value("ph", "") != "X") return;
    const auto args = event.value("args", Json::object());
    // Categories were written with capitals before PyTorch 1.12.
    const auto category = lower_case(event.value("cat", "")), name = event.value("name", "");
    const bool is_kernel = category == "kernel", is_on_device = is_kernel || category == "gpu_user_annotation";
    const auto begin = event.value("ts", 0.0), end = begin + event.value("dur", 0.0);
    const auto correlation = number_in(args, "correlation");
    if (name.starts_with("ProfilerStep#")) (is_on_device ? marks_on_device_ : marks_).add(name, begin, end);
    if (!is_on_device && correlation && name.find("Launch") != std::string::npos)
      launches_[*correlation] = {begin, event.value("tid", Json()).dump()};
    if (args.contains("Collective name")) {
      take_call(args, begin, end, is_kernel, correlation);
    } else if (is_kernel && name.find("nccl") != std::string::npos) {
      of_nccl_.push_back({begin, end, correlation, function_of(name)});
    } else if (is_kernel && is_collective_of_another_library(name)) {
      ++imported_.not_understood[function_of(name)];
    } else if (is_kernel) {
      kernels_.push_back({begin, end});
    } else if (!is_on_device) {
      annotated_.take(event, name, begin, end);
    }
  }

  void finish() {
    // A call is recorded on the host, its kernel on the device: kernels, if recorded, are in the true order.
    const bool have_sizes = !on_device_.empty();
    auto calls = std::move(have_sizes ? on_device_ : on_host_);
    if (calls.empty()) {
      calls = annotated_.finish(of_nccl_, launches_);
      for (const double us : annotated_.unread_us()) imported_.unread_steps.insert(marks_.step_at(us));
    }
    if (have_sizes || (calls.empty() && annotated_.unread_us().empty())) count_kernels_without_sizes();
    for (auto& each : calls) each.call.step = step_of(each);
    drop_outside_of_steps(calls);
    const auto earlier = [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; };
    std::stable_sort(calls.begin(), calls.end(), earlier);
    std::sort(kernels_.begin(), kernels_.end(), earlier);
    add_calls(calls);
    imported_.own_groups = in_order_of_names(groups_.declared());
    imported_.marked_steps = marks_.count();
  }

 private:
  void take_call(const Json& args, double begin, double end, bool is_on_device,
                 std::optional<std::uint64_t> correlation) {
    const auto members = groups_.members(args);
    const auto call =
        call_in(args, members, sizes_in(args, "In msg nelems", "Out msg nelems", "In split size"), imported_);
    if (!call) {
      ++imported_.not_understood[unknown_record(args)];
      return;
    }
    const int size = std::max(0, rank_in(args, "Group size"));
    const auto group = args.value("Process Group Name", std::to_string(size));
    const bool names_own_rank = !is_rooted(call->collective) && call->collective != Collective::send_recv;
    int rank = !names_own_rank ? -1 : rank_in(args, "Rank");  // kernels have none
    if (rank < 0) rank = number_among(members, size, imported_.ranks.value_or(0), imported_.rank.value_or(-1));
    auto& calls = is_on_device ? on_device_ : on_host_;
    const auto id = args.value("Process Group Name", "");  // none before PyTorch 2.3
    calls.push_back({begin, end, *call, group, {rank, size, members, id}, is_on_device, correlation, {}});
    if (size > imported_.ranks.value_or(0)) imported_.ranks = size;
  }

  /// The step in which the host made the call. A kernel whose launch was not recorded belongs to the step on the GPU.
  int step_of(const TimedCall& call) const {
    if (!call.is_on_device) return marks_.step_at(call.begin_us);
    if (call.host_us) return marks_.step_at(*call.host_us);
    return step_of_kernel(call.correlation, call.begin_us);
  }

  int step_of_kernel(std::optional<std::uint64_t> correlation, double begin_us) const {
    const auto launch = correlation ? launches_.find(*correlation) : launches_.end();
    if (launch != launches_.end()) return marks_.step_at(launch->second.at_us);
    return (marks_on_device_.count() > 0 ? marks_on_device_ : marks_).step_at(begin_us);
  }

  void count_kernels_without_sizes() {
    for (const auto& kernel : of_nccl_) {
      imported_.unread_steps.insert(step_of_kernel(kernel.correlation, kernel.begin_us));
      ++imported_.not_understood[kernel.function +
                                 " without sizes (record_shapes=True, a newer PyTorch or its execution trace records "
                                 "them)"];
    }
  }

  /// If no call is within a marked step, the recording was cut off, and its calls are kept.
  void drop_outside_of_steps(std::vector<TimedCall>& calls) {
    const auto is_within = [](const TimedCall& each) { return each.call.step >= 0; };
    std::size_t others = 0, collectives = 0;
    if (marks_on_device_.count() > 0)
      others = std::erase_if(kernels_, [&](const Kernel& each) { return marks_on_device_.step_at(each.begin_us) < 0; });
    if (std::any_of(calls.begin(), calls.end(), is_within))
      collectives = std::erase_if(calls, [&](const TimedCall& each) { return !is_within(each); });
    if (others + collectives > 0)
      imported_.remarks.push_back(
          fmt::format("leaves out work outside of the marked steps: {} collectives, {} kernels", collectives, others));
  }

  void add_calls(std::vector<TimedCall>& calls) {
    double since = kernels_.empty() ? 0 : kernels_.front().begin_us;
    NamedGroups groups(imported_);
    double last_end_us = since;
    bool are_on_device = false;
    for (auto& timed : calls) {
      auto& call = timed.call;
      if (timed.seen.ranks > 0) call.communicator = groups.use(timed.group, timed.seen);
      call.computed_us = covered(kernels_, since, timed.begin_us);
      // If nothing was computed during a call, the step waited for it.
      constexpr double noticeable_share = 0.01;
      const double took_us = timed.end_us - timed.begin_us;
      const bool is_awaited = covered(kernels_, timed.begin_us, timed.end_us) <= noticeable_share * took_us;
      if (timed.is_on_device && is_awaited) call.is_async = false;
      are_on_device = are_on_device || timed.is_on_device;
      if (timed.is_on_device) call.ran = Ran{timed.begin_us, timed.end_us};
      since = std::max(since, timed.begin_us);
      last_end_us = std::max(last_end_us, timed.end_us);
      imported_.calls.push_back(call);
    }
    if (kernels_.empty()) return;
    imported_.computed_beside_us = are_on_device ? covered(kernels_, since, last_end_us) : 0;
    imported_.computed_after_us = covered(kernels_, are_on_device ? last_end_us : since, kernels_.back().end_us);
  }

  Imported& imported_;
  KinetoGroups groups_;
  std::vector<TimedCall> on_device_, on_host_;
  AnnotatedCalls annotated_{imported_};
  std::vector<CollectiveKernel> of_nccl_;  ///< without sizes, which annotations may have
  std::vector<Kernel> kernels_;            ///< other than collectives'
  Launches launches_;
  Marks marks_, marks_on_device_;
};

}  // namespace

Imported import_kineto(const nlohmann::json& json) {
  Imported imported;
  imported.format = "Kineto trace";
  const auto distributed = json.value("distributedInfo", Json::object());
  if (const int ranks = rank_in(distributed, "world_size"); ranks > 0) imported.world = imported.ranks = ranks;
  if (const int rank = rank_in(distributed, "rank"); rank >= 0) imported.rank = rank;
  KinetoReader reader(imported, distributed);
  for (const auto& event : json.at("traceEvents")) take_record(imported, [&] { reader.take(event); });
  reader.finish();
  return imported;
}

}  // namespace ringmark::replay
