#include "bench/backends/schedule_backend.hpp"

#include <algorithm>
#include <utility>

#include "base/units.hpp"
#include "bench/harness/algorithms_file.hpp"
#include "bench/harness/rank_resources.hpp"
#include "bench/harness/transports.hpp"
#include "transports/executor/link_cost.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/schedules/choice.hpp"

namespace ringmark {

std::optional<LinkCost> ScheduleBackend::given_link(const RunOptions& options) const {
  const auto bytes = crossover_bytes(options);
  return bytes > 0 ? std::optional(link_of_crossover(bytes)) : std::nullopt;
}

std::unique_ptr<Communicator> ScheduleBackend::make_communicator(const RunOptions& options,
                                                                 const RankResources& resources,
                                                                 const std::string& algorithm, bool is_preference) {
  auto fabric = make_fabric(options, resources);
  if (const auto given = given_link(options)) {
    link_ = given;
  } else if (fabric->size() > 1) {
    const auto slowest = [&](double mine) { return resources.control->max(mine); };
    link_ = measure_link_cost(*fabric, slowest, options.timeout);
    link_is_measured_ = true;
  }
  if (link_) least_slice_bytes_ = std::min(least_slice_bytes(*link_), slice_bytes(options));
  ScheduleOptions schedule_options{.algorithm = algorithm,
                                   .slice_bytes = slice_bytes(options),
                                   .timeout = options.timeout,
                                   .link = link_.value_or(assumed_link),
                                   .only_model = given_link(options).has_value(),
                                   .sticky_core = sticky_core_,
                                   .is_preference = is_preference};
  if (!options.algorithms_path.empty()) {
    const bool is_first = resources.control->rank() == 0;
    const auto texts =
        resources.control->all_gather(is_first ? read_algorithms_file(options.algorithms_path) : std::string());
    schedule_options.chosen = chosen_algorithms(options.algorithms_path, texts.front(), options.transport);
    if (is_first) schedule_options.on_settled = [this](const auto& key, auto name) { new_choices_[key] = name; };
  }
  return std::make_unique<ScheduleCommunicator>(std::string(name(options.transport)), std::move(fabric),
                                                topology_of(resources.places.hosts), std::move(schedule_options));
}

void ScheduleBackend::keep_choices(const RunOptions& options) {
  for (const auto& [key, algorithm] : std::exchange(new_choices_, {}))
    append_to_algorithms_file(options.algorithms_path, options.transport, key, algorithm);
}

void ScheduleBackend::describe(std::map<std::string, std::string>& facts, const RankResources& /*resources*/) const {
  if (link_is_measured_) facts["link"] = ringmark::describe(*link_) + " (measured)";
  if (least_slice_bytes_ > 0) facts["slices"] = "from " + format_size(least_slice_bytes_);
}

}  // namespace ringmark
