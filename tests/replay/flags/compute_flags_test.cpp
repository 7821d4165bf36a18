#include "replay/flags/compute_flags.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

TEST(ScaledSizes, keep_the_proportions_of_unequal_parts) {
  StepTrace trace;
  trace.ranks = 2;
  Event event;
  event.kind = EventKind::collective;
  event.collective = Collective::all_to_all;
  event.elements = 800;
  event.counts = {200, 600, 1, 0};
  event.counts_ranks = 2;
  trace.events.push_back(event);
  ComputeFlags::Given given;
  given.size_scale = 0.1;
  given.scale_sizes(trace);
  EXPECT_EQ(trace.events[0].elements, 80U);
  EXPECT_EQ(trace.events[0].counts, (std::vector<std::uint64_t>{20, 60, 1, 0}));
  given.size_scale = 1e6;
  trace.events[0].counts[0] = most_elements / 1000;
  EXPECT_THROW(given.scale_sizes(trace), BadUsage);
}

TEST(ScaledSizes, of_roles_keep_whole_shares_of_their_groups) {
  RoleTrace trace;
  trace.ranks = 4;
  trace.groups = {{"dp", {{4, 1}}}};
  Event gather, message, work;
  gather.kind = EventKind::collective;
  gather.collective = Collective::all_gather;
  message.kind = EventKind::send;
  gather.elements = message.elements = work.elements = 101;
  trace.passes = {{"pass", std::nullopt, {gather, message, work}}};
  ComputeFlags::Given given;
  given.size_scale = 0.1;
  given.scale_sizes(trace);
  const auto& events = trace.passes[0].events;
  EXPECT_EQ(events[0].elements, 12U);
  EXPECT_EQ(events[1].elements, 10U);
  EXPECT_EQ(events[2].elements, 101U) << "no call";
}

TEST(ProductDtype, needs_a_device_that_has_it_and_operators) {
  StepTrace trace;
  Event event;
  event.kind = EventKind::compute;
  event.flops = 1e9;
  trace.events.push_back(event);
  ComputeFlags::Given given;
  given.model.products = ProductType::float8;
  given.device = load_device("h100");
  EXPECT_THROW(given.model_for(trace), BadUsage) << "no operators";
  trace.events[0].operators = {{Operator::Kind::product, 1024, 1024, 1024}};
  EXPECT_EQ(given.model_for(trace).products, ProductType::float8);
  given.device = load_device("a100");
  EXPECT_THROW(given.model_for(trace), BadUsage);
  given.device.reset();
  EXPECT_THROW(given.model_for(trace), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
