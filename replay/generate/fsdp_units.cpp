#include "replay/generate/fsdp_units.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

void add_tensors(FsdpUnit& unit, const Module& module, std::set<int>& taken) {
  for (const int index : module.parameters) {
    if (taken.insert(index).second) unit.parameters.push_back(index);
  }
  for (const auto& child : module.children) add_tensors(unit, child, taken);
}

void add_layers(const Module& module, std::vector<FsdpUnit>& units, std::set<int>& taken) {
  if (is_layer(module)) {
    units.push_back({&module, module.name, {}});
    add_tensors(units.back(), module, taken);
    return;
  }
  for (const auto& child : module.children) add_layers(child, units, taken);
}

}  // namespace

std::vector<FsdpUnit> fsdp_units(const Model& model, bool root_only) {
  std::vector<FsdpUnit> units{{&model.forward, "root", {}}};
  std::set<int> taken;
  if (!root_only) add_layers(model.forward, units, taken);
  add_tensors(units.front(), model.forward, taken);
  std::erase_if(units, [](const FsdpUnit& unit) { return unit.parameters.empty(); });
  for (auto& unit : units) std::sort(unit.parameters.begin(), unit.parameters.end());
  return units;
}

void train_whole_units(Model& model, const Sharding& sharding) {
  for (const auto& unit : fsdp_units(model, sharding.wraps_root_only)) {
    const auto parameter = [&](int index) -> Parameter& { return model.parameters[static_cast<std::size_t>(index)]; };
    const auto& tensors = unit.parameters;
    const auto is_trained = [&](int index) { return parameter(index).requires_grad; };
    const auto trained = std::count_if(tensors.begin(), tensors.end(), is_trained);
    if (trained == 0 || trained == static_cast<std::ptrdiff_t>(tensors.size())) continue;
    if (!sharding.use_orig_params)
      throw BadUsage(
          fmt::format("{}: some of its tensors are frozen and some are trained, which FSDP refuses in one unit; give "
                      "--use-orig-params",
                      unit.name));
    for (const int index : tensors) parameter(index).requires_grad = true;
  }
}

FsdpCollectives::FsdpCollectives(const StepSettings& settings, TraceBuilder& builder)
    : settings_(settings), builder_(builder) {
  const int degree = settings.shard_degree();
  const bool is_split = degree < settings.ranks && degree > 1;
  const bool overlaps = settings.effective_overlap() != Overlap::none;
  if (overlaps) {
    gather_stream_ = builder.stream("ag");
    reduce_stream_ = builder.stream("red");
  }
  if (!is_split) return;
  if (overlaps) replicate_stream_ = builder.stream("ar");
  shard_group_ = builder.group({"shard", Group::Kind::block, degree});
  replicate_group_ = builder.group({"replicate", Group::Kind::stride, degree});
}

int FsdpCollectives::gather(const std::string& unit, std::uint64_t elements, int group, int after) {
  return builder_.collective({.collective = Collective::all_gather,
                              .elements = elements,
                              .type = settings_.type,
                              .stream = gather_stream_,
                              .group = group,
                              .is_async = true,
                              .after = {after},
                              .tag = unit});
}

int FsdpCollectives::scatter(const std::string& unit, std::uint64_t elements) {
  if (reduce_stream_ != 0) builder_.wait(reduce_stream_, {builder_.last(0)});
  const int scattered = builder_.collective({.collective = Collective::reduce_scatter,
                                             .elements = elements,
                                             .type = settings_.gradient_type(),
                                             .stream = reduce_stream_,
                                             .group = shard_group_,
                                             .tag = unit});
  if (!replicate_group_) return scattered;
  if (replicate_stream_ != 0) builder_.wait(replicate_stream_, {scattered});
  builder_.collective({.elements = elements / static_cast<std::uint64_t>(settings_.shard_degree()),
                       .type = settings_.gradient_type(),
                       .stream = replicate_stream_,
                       .group = *replicate_group_,
                       .tag = unit});
  return scattered;
}

void FsdpCollectives::all_reduce(const std::string& unit, std::uint64_t elements) {
  if (reduce_stream_ != 0) builder_.wait(reduce_stream_, {builder_.last(0)});
  builder_.collective({.elements = elements, .type = settings_.gradient_type(), .stream = reduce_stream_, .tag = unit});
}

void FsdpCollectives::norm(std::uint64_t elements) {
  builder_.collective({.elements = elements, .type = DataType::float32, .group = shard_group_, .tag = "norm"});
}

std::vector<int> FsdpCollectives::reductions() const {
  return {builder_.last(reduce_stream_), builder_.last(replicate_stream_)};
}

}  // namespace ringmark::replay
