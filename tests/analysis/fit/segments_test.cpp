#include "analysis/fit/segments.hpp"

#include <gtest/gtest.h>

namespace ringmark::analysis {
namespace {

/// One step of `bytes` each, so that a message is as long as the size.
Observation observed(double bytes, double time_us) {
  return {{1, bytes, time_us}, static_cast<std::uint64_t>(bytes), 2, {}};
}

/// Short messages at 10 us and 1 us/KiB, from 64 KiB on at 100 us and 0.25 us/KiB; every other time is `percent`
/// higher.
Observations with_a_break(double percent) {
  Observations all;
  bool is_high = false;
  for (double bytes = 1024; bytes <= (1 << 24); bytes *= 2) {
    const double kib = bytes / 1024;
    const double time = bytes < 65536 ? 10 + kib : 100 + 0.25 * kib;
    all.push_back(observed(bytes, time * (is_high ? 1 + percent / 100 : 1)));
    is_high = !is_high;
  }
  return all;
}

TEST(Segments, one_line_is_not_cut) {
  Observations all;
  for (double bytes = 1024; bytes <= (1 << 24); bytes *= 2) all.push_back(observed(bytes, 20 + bytes / 1024));
  const auto segments = fit_segments(all);
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_NEAR(segments[0].alpha_us, 20, 1e-3);
  EXPECT_NEAR(segments[0].beta_us_per_byte, 1.0 / 1024, 1e-7);
  EXPECT_NEAR(squares_left(all), 0, 1e-6);
}

TEST(Segments, a_change_of_protocol_is_found_where_it_is) {
  const auto all = with_a_break(0.5);
  const auto segments = fit_segments(all);
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_NEAR(segments[0].alpha_us, 10, 1);
  EXPECT_NEAR(segments[1].alpha_us, 100, 10);
  EXPECT_NEAR(segments[1].beta_us_per_byte * 1024, 0.25, 0.01);
  for (const auto& each : all) EXPECT_NEAR(time_by(segments, each) / each.point.time_us, 1, 0.03);
}

TEST(Segments, the_last_one_serves_longer_messages) {
  const auto segments = fit_segments(with_a_break(0.5));
  const double bytes = 1 << 26;
  EXPECT_NEAR(time_by(segments, observed(bytes, 0)), 100 + 0.25 * bytes / 1024, 0.02 * bytes / 1024);
}

TEST(HeldOut, predicts_sizes_that_were_left_out) {
  Observations all;
  for (double bytes = 1024; bytes <= (1 << 20); bytes *= 2) all.push_back(observed(bytes, 20 + bytes / 1024));
  const auto by_size = [](const Observation& each) { return each.size_bytes; };
  const auto held = held_out(all, by_size, 3);
  ASSERT_TRUE(held);
  EXPECT_NEAR(held->median_percent, 0, 0.1);
  EXPECT_FALSE(held_out(
      all, [](const Observation&) { return std::uint64_t{1}; }, 3))
      << "one value only";
  EXPECT_FALSE(held_out(all, by_size, all.size())) << "too few remain";
}

}  // namespace
}  // namespace ringmark::analysis
