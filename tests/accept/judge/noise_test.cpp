#include "accept/judge/noise.hpp"

#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

/// The margin of one part whose four rounds are so far above and below its level.
double margin_of(double level, double residual) {
  const Part host{PartKind::host, "host-2", {2}, {0}};
  const std::vector<double> series{level + residual, level - residual, level + residual, level - residual};
  return Noise({Suspect{&host, {0}, series, level}}, 1).margin(PartKind::host, 0.01);
}

TEST(Noise, grows_with_the_scatter_of_the_rounds) {
  const double usual = margin_of(0.5, 0), wide = margin_of(0.5, 0.02);
  // The usual standard deviation is 1 %. That of the rounds is 1.4826 x 2 %, and the variance of their median is pi / 2
  // times theirs over three degrees of freedom.
  EXPECT_NEAR(wide * wide / (usual * usual), 5.604, 0.001);
}

TEST(Noise, is_judged_by_parts_that_are_faster_than_expected) {
  EXPECT_DOUBLE_EQ(margin_of(0, 0), margin_of(0.5, 0)) << "neither is faster";
  EXPECT_LT(margin_of(-0.001, 0), margin_of(0.5, 0));
  EXPECT_GT(margin_of(-0.1, 0), margin_of(0.5, 0));
}

}  // namespace
}  // namespace ringmark::accept
