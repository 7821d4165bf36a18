#include "sweeps/training/verification.hpp"

#include <gtest/gtest.h>

namespace ringmark::sweep {
namespace {

Candidate step(const std::string& name, const std::map<std::string, std::string>& changes) {
  return {.name = name, .description = {{}, {}, changes}, .trace = {}};
}

class VerificationTest : public testing::Test {
 protected:
  void take(std::size_t number, const std::vector<double>& times_us, const std::vector<Caveat>& caveats = {}) {
    for (const double time : times_us) {
      Record row{.schema = Schema::replay};
      row.caveats = caveats;
      row.time_us_p50 = time;
      row.status = Status::ok;
      proof_.add_row(number, row);
    }
  }

  Verification proof_{{{"tcp.sockets", std::nullopt}}, {{"tcp.sockets", "4"}}};
  const std::size_t own_ = proof_.add(step("default", {}), false);
  const std::size_t both_ = proof_.add(step("001", {{"stage", "3"}}), true);
  const std::size_t step_alone_ = proof_.add(step("001", {{"stage", "3"}}), false);
};

TEST_F(VerificationTest, has_every_setting_once) {
  EXPECT_EQ(proof_.add(step("001", {{"stage", "3"}}), true), both_);
  EXPECT_EQ(proof_.size(), 3U);
}

TEST_F(VerificationTest, takes_all_changes_that_are_shown_to_help) {
  take(own_, {100, 101, 102, 99, 100, 101});
  take(step_alone_, {80, 81, 80, 79, 80, 81});
  take(both_, {70, 71, 70, 69, 70, 71});
  EXPECT_EQ(proof_.best().number, both_);
  ASSERT_TRUE(proof_.best().difference);
  EXPECT_NEAR(proof_.best().difference->ratio, 0.7, 0.02);
}

TEST_F(VerificationTest, leaves_a_change_out_that_is_not_shown_to_help) {
  take(own_, {100, 101, 102, 99, 100, 101});
  take(step_alone_, {80, 84, 76, 79, 82, 78});
  take(both_, {79, 83, 77, 78, 81, 77});
  EXPECT_EQ(proof_.best().number, step_alone_);
}

TEST_F(VerificationTest, a_setting_whose_caveats_forbid_a_decision_is_never_chosen) {
  take(own_, {100, 101, 102, 99, 100, 101});
  take(step_alone_, {70, 71, 70, 69, 70, 71}, {WideInterval{60}});
  take(both_, {71, 70, 70, 69, 70, 71});
  EXPECT_EQ(proof_.best().number, both_) << "although the other has fewer changes";
}

TEST_F(VerificationTest, keeps_the_default_where_nothing_is_shown_to_be_faster) {
  take(own_, {100, 110, 90, 105, 95, 100});
  take(step_alone_, {99, 111, 91, 104, 96, 101});
  take(both_, {101, 109, 92, 103, 97, 99});
  EXPECT_EQ(proof_.best().number, own_);
  EXPECT_FALSE(proof_.best().difference);
}

TEST_F(VerificationTest, without_launches_nothing_is_compared) {
  EXPECT_FALSE(proof_.compare(both_, own_));
  EXPECT_EQ(proof_.best().number, own_);
}

}  // namespace
}  // namespace ringmark::sweep
