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

}  // namespace

Imported import_kineto(const nlohmann::json& json) {
  Imported imported;
  imported.format = "Kineto trace";
  const auto distributed = json.value("distributedInfo", Json::object());
  if (const int ranks = rank_in(distributed, "world_size"); ranks > 0) imported.ranks = ranks;
  if (const int rank = rank_in(distributed, "rank"); rank >= 0) imported.rank = rank;
  std::vector<Recorded> on_device, on_host;
  std::vector<Kernel> kernels;
  std::set<std::string> steps;
  Marked marked;
  const auto take = [&](const Json& event) {
    if (event.value("ph", "") != "X") return;
    const auto args = event.value("args", Json::object());
    const auto category = event.value("cat", ""), name = event.value("name", "");
    const bool is_kernel = category == "kernel";
    const auto begin = event.value("ts", 0.0), duration = event.value("dur", 0.0);
    if (name.starts_with("ProfilerStep#")) {
      if (category == "user_annotation") steps.insert(name);
      if (category == "gpu_user_annotation") marked.add(begin, begin + duration);
    }
    if (args.contains("Collective name")) {
      const auto sizes = sizes_in(args, "In msg nelems", "Out msg nelems", "In split size");
      if (const auto call = call_of(args, sizes)) {
        const int size = std::max(0, rank_in(args, "Group size"));
        const auto group = args.value("Process Group Name", std::to_string(size));
        const int rank = is_rooted(call->collective) ? -1 : rank_in(args, "Rank");
        // "[0, 2, 4]"; shortened ("...") for many ranks.
        const auto ranks = ranks_in(Json::parse(args.value("Process Group Ranks", ""), nullptr, false));
        (is_kernel ? on_device : on_host)
            .push_back(
                {begin, begin + duration, *call, group, {rank, size, ranks}, sizes.are_uneven(call->collective)});
        if (size > imported.ranks.value_or(0)) imported.ranks = size;
      } else {
        ++imported.not_understood[args.value("Collective name", "")];
      }
    } else if (is_kernel && name.find("nccl") == std::string::npos) {
      kernels.push_back({begin, begin + duration});
    }
  };
  for (const auto& event : json.at("traceEvents")) take_record(imported, [&] { take(event); });
  // A call is recorded on the host, its kernel on the device: kernels, if recorded, have the true order.
  auto& recorded = on_device.empty() ? on_host : on_device;
  const auto calls_outside = marked.keep_within(on_device), kernels_outside = marked.keep_within(kernels);
  if (calls_outside + kernels_outside > 0) {
    imported.remarks.push_back(
        fmt::format("leaves out kernels outside of the marked steps: {} of collectives, {} others", calls_outside,
                    kernels_outside));
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; };
  std::stable_sort(recorded.begin(), recorded.end(), earlier);
  std::sort(kernels.begin(), kernels.end(), earlier);
  double since = kernels.empty() ? 0 : kernels.front().begin_us;
  NamedGroups groups(imported);
  double last_end_us = since;
  for (auto& [begin, end, call, group, seen, is_uneven] : recorded) {
    if (is_uneven) ++imported.uneven;
    if (seen.ranks > 0) call.communicator = groups.use(group, seen);
    call.computed_us = covered(kernels, since, begin);
    // If nothing was computed during a call, the step waited for it.
    constexpr double noticeable_share = 0.01;
    if (!on_device.empty() && covered(kernels, begin, end) <= noticeable_share * (end - begin)) call.is_async = false;
    since = std::max(since, begin);
    last_end_us = std::max(last_end_us, end);
    imported.calls.push_back(call);
  }
  if (!kernels.empty()) {
    imported.computed_beside_us = on_device.empty() ? 0 : covered(kernels, since, last_end_us);
    imported.computed_after_us = covered(kernels, on_device.empty() ? since : last_end_us, kernels.back().end_us);
  }
  imported.marked_steps = steps.size();
  return imported;
}

}  // namespace ringmark::replay
