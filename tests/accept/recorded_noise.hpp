// The noise of a healthy cluster in a box: record-noise made the file, in which each row is a link in a launch.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "results/statistics/statistics.hpp"

namespace ringmark::accept {

struct NoiseSample {
  double log_rate, log_latency, resent_share;
};

class RecordedNoise {
 public:
  /// A CSV: launch,src,dst,rate_GBps,latency_us,resent_share.
  explicit RecordedNoise(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    struct Row {
      std::size_t launch, from, to;
      double rate, latency, resent;
    };
    std::vector<Row> rows;
    std::map<std::size_t, std::vector<double>> rates, latencies;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::replace(line.begin(), line.end(), ',', ' ');
      std::istringstream words(line);
      Row row{};
      if (!(words >> row.launch >> row.from >> row.to >> row.rate >> row.latency >> row.resent))
        throw std::runtime_error(path + ": not a row of recorded noise: " + line);
      rates[row.launch].push_back(row.rate);
      latencies[row.launch].push_back(row.latency);
      hosts_ = std::max({hosts_, row.from + 1, row.to + 1});
      rows.push_back(row);
    }
    if (rows.empty()) throw std::runtime_error(path + ": no recorded noise");
    std::vector<double> medians;
    for (const auto& [launch, values] : rates) medians.push_back(median(values));
    const double typical = median(medians);
    for (const double each : medians) launches_.push_back(std::log(each / typical));
    by_host_.resize(hosts_);
    for (const auto& row : rows) {
      const NoiseSample sample{std::log(row.rate / median(rates[row.launch])),
                               std::log(row.latency / median(latencies[row.launch])), row.resent};
      for (const auto host : {row.from, row.to}) by_host_[host].push_back(sample);
    }
  }

  std::size_t hosts() const { return hosts_; }
  /// The factor that all links of a launch share.
  double launch(std::mt19937_64& random) const { return launches_[random() % launches_.size()]; }
  /// A sample of either host's links, from any launch: noise of hosts persists, noise of links does not.
  NoiseSample draw(std::size_t from, std::size_t to, std::mt19937_64& random) const {
    const auto& samples = by_host_[random() % 2 == 0 ? from : to];
    return samples[random() % samples.size()];
  }

 private:
  std::size_t hosts_ = 0;
  std::vector<double> launches_;
  std::vector<std::vector<NoiseSample>> by_host_;
};

}  // namespace ringmark::accept
