// A network on which every collective takes as long as it is told. A fake, so that times can be told by hand.
#pragma once

#include <string>
#include <vector>

#include "replay/predict/network.hpp"

namespace ringmark::testing_support {

class ConstantNetwork final : public replay::Network {
 public:
  explicit ConstantNetwork(double us, double of_it_bytes_us = 0) : us_(us), bytes_us_(of_it_bytes_us) {}
  replay::CollectiveTime time(const replay::Event& /*event*/, const replay::Group& /*group*/, int /*ranks*/) override {
    return {us_, bytes_us_};
  }
  double burst_us() const override { return 0; }
  std::vector<std::string> assumptions() const override { return {}; }

 private:
  double us_, bytes_us_;
};

}  // namespace ringmark::testing_support
