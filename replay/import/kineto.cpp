#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "replay/import/formats.hpp"
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

struct Recorded {
  double begin_us, end_us;
  Call call;
  std::string group;  ///< its name
  CommunicatorSeen seen;
  bool is_uneven;
};

/// The marked steps on the GPU; nothing if there are no marks.
struct Marked {
  double from_us = std::numeric_limits<double>::infinity(), to_us = -from_us;

  void add(double begin_us, double end_us) {
    from_us = std::min(from_us, begin_us);
    to_us = std::max(to_us, end_us);
  }

  /// Removes everything that began before the first step or after the last one; returns how much.
  template <class Work>
  std::size_t keep_within(std::vector<Work>& work) const {
    if (from_us > to_us) return 0;
    return std::erase_if(work, [this](const Work& each) { return each.begin_us < from_us || each.begin_us >= to_us; });
  }
};

std::optional<Call> call_of(const Json& args, const Sizes& sizes) {
  const auto collective = collective_named(args.value("Collective name", ""));
  const auto type = type_named(args.value("dtype", ""));
  if (!collective || !type) return std::nullopt;
  Call call{*collective, 0, *type, 0, Phase::backward, true, 0};
  call.elements = sizes.full(*collective);
  if (is_rooted(*collective)) call.root = std::max(0, rank_in(args, "Rank"));
  return call.elements > 0 ? std::optional(call) : std::nullopt;
}

/// Collects a trace's events, then turns them into calls.
class KinetoReader {
 public:
  explicit KinetoReader(Imported& imported) : imported_(imported) {}

  void take(const Json& event) {
    if (event.value("ph", "") != "X") return;
    const auto args = event.value("args", Json::object());
    const auto category = event.value("cat", ""), name = event.value("name", "");
    const bool is_kernel = category == "kernel";
    const auto begin = event.value("ts", 0.0), end = begin + event.value("dur", 0.0);
    if (name.starts_with("ProfilerStep#")) {
      if (category == "user_annotation") steps_.insert(name);
      if (category == "gpu_user_annotation") marked_.add(begin, end);
    }
    if (args.contains("Collective name")) {
      take_call(args, begin, end, is_kernel ? on_device_ : on_host_);
    } else if (is_kernel && name.find("nccl") == std::string::npos) {
      kernels_.push_back({begin, end});
    }
  }

  void finish() {
    // A call is recorded on the host, its kernel on the device: kernels, if recorded, have the true order.
    auto& recorded = on_device_.empty() ? on_host_ : on_device_;
    drop_outside_of_steps();
    const auto earlier = [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; };
    std::stable_sort(recorded.begin(), recorded.end(), earlier);
    std::sort(kernels_.begin(), kernels_.end(), earlier);
    add_calls(recorded);
    imported_.marked_steps = steps_.size();
  }

 private:
  void take_call(const Json& args, double begin, double end, std::vector<Recorded>& calls) {
    const auto sizes = sizes_in(args, "In msg nelems", "Out msg nelems", "In split size");
    const auto call = call_of(args, sizes);
    if (!call) {
      ++imported_.not_understood[args.value("Collective name", "")];
      return;
    }
    const int size = std::max(0, rank_in(args, "Group size"));
    const auto group = args.value("Process Group Name", std::to_string(size));
    const int rank = is_rooted(call->collective) ? -1 : rank_in(args, "Rank");
    // "[0, 2, 4]"; shortened ("...") for many ranks.
    const auto ranks = ranks_in(Json::parse(args.value("Process Group Ranks", ""), nullptr, false));
    calls.push_back({begin, end, *call, group, {rank, size, ranks}, sizes.are_uneven(call->collective)});
    if (size > imported_.ranks.value_or(0)) imported_.ranks = size;
  }

  void drop_outside_of_steps() {
    const auto calls = marked_.keep_within(on_device_), kernels = marked_.keep_within(kernels_);
    if (calls + kernels == 0) return;
    imported_.remarks.push_back(
        fmt::format("leaves out kernels outside of the marked steps: {} of collectives, {} others", calls, kernels));
  }

  void add_calls(std::vector<Recorded>& recorded) {
    double since = kernels_.empty() ? 0 : kernels_.front().begin_us;
    NamedGroups groups(imported_);
    double last_end_us = since;
    for (auto& [begin, end, call, group, seen, is_uneven] : recorded) {
      if (is_uneven) ++imported_.uneven;
      if (seen.ranks > 0) call.communicator = groups.use(group, seen);
      call.computed_us = covered(kernels_, since, begin);
      // If nothing was computed during a call, the step waited for it.
      constexpr double noticeable_share = 0.01;
      const bool is_awaited = covered(kernels_, begin, end) <= noticeable_share * (end - begin);
      if (!on_device_.empty() && is_awaited) call.is_async = false;
      since = std::max(since, begin);
      last_end_us = std::max(last_end_us, end);
      imported_.calls.push_back(call);
    }
    if (kernels_.empty()) return;
    imported_.computed_beside_us = on_device_.empty() ? 0 : covered(kernels_, since, last_end_us);
    imported_.computed_after_us = covered(kernels_, on_device_.empty() ? since : last_end_us, kernels_.back().end_us);
  }

  Imported& imported_;
  std::vector<Recorded> on_device_, on_host_;
  std::vector<Kernel> kernels_;  ///< other than collectives'
  std::set<std::string> steps_;
  Marked marked_;
};

}  // namespace

Imported import_kineto(const nlohmann::json& json) {
  Imported imported;
  imported.format = "Kineto trace";
  const auto distributed = json.value("distributedInfo", Json::object());
  if (const int ranks = rank_in(distributed, "world_size"); ranks > 0) imported.ranks = ranks;
  if (const int rank = rank_in(distributed, "rank"); rank >= 0) imported.rank = rank;
  KinetoReader reader(imported);
  for (const auto& event : json.at("traceEvents")) take_record(imported, [&] { reader.take(event); });
  reader.finish();
  return imported;
}

}  // namespace ringmark::replay
