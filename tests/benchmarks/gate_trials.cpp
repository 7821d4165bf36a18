// How often the gate errs: launches of one build, drawn at random as "before" and "after", where "after" may be made
// slower. gate-trials TRIALS LAUNCHES RESULTS...; the results have at least twice as many launches of each setting.
// docs/evidence/gate.md shows what it printed.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/compare/gate.hpp"
#include "base/errors.hpp"

namespace {

using namespace ringmark;
using namespace ringmark::analysis;

constexpr double limit_percent = 5;

class Trials {
 public:
  Trials(Table table, std::size_t launches, std::mt19937_64& random)
      : table_(std::move(table)), measured_us_(table_.number("time_us_p50")), random_(random) {
    std::map<std::string, std::set<std::string>> launches_of;
    for (std::size_t row = 0; row < table_.rows(); ++row) launches_of[setting(row)].insert(launch(row));
    for (const auto& [key, all] : launches_of) {
      if (all.size() < 2 * launches)
        throw BadUsage(fmt::format("{} launches of {}; give {}", all.size(), key, 2 * launches));
      drawn_[key].assign(all.begin(), all.end());
    }
    launches_ = launches;
  }

  GateOutcome draw(double slower_percent) {
    std::map<std::string, std::string> side;
    for (auto& [key, all] : drawn_) {
      std::shuffle(all.begin(), all.end(), random_);
      for (std::size_t i = 0; i < 2 * launches_; ++i) side[all[i]] = i < launches_ ? "before" : "later";
    }
    std::vector<std::string> files(table_.rows());
    std::vector<std::size_t> rows;
    auto& times_us = table_.number_to_fill("time_us_p50");
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      const auto found = side.find(launch(row));
      if (found == side.end()) continue;
      files[row] = found->second;
      times_us[row] = measured_us_[row] * (found->second == "later" ? 1 + slower_percent / 100 : 1);
      rows.push_back(row);
    }
    table_.set_text("file", files);
    return judge(compare(table_, rows, {.by = "file", .baseline = "before"}), limit_percent).outcome();
  }

 private:
  std::string setting(std::size_t row) const {
    return fmt::format("{} over {}", table_.text("collective")[row], table_.text("transport")[row]);
  }
  std::string launch(std::size_t row) const { return setting(row) + table_.text("run_id")[row]; }

  Table table_;
  const NumberColumn measured_us_;
  std::mt19937_64& random_;
  std::map<std::string, std::vector<std::string>> drawn_;
  std::size_t launches_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "gate-trials TRIALS LAUNCHES RESULTS...\n");
    return 2;
  }
  const int trials = std::atoi(argv[1]);
  std::mt19937_64 random(1);
  try {
    Trials draws(read_results({argv + 3, argv + argc}).table, std::strtoul(argv[2], nullptr, 10), random);
    fmt::print("{} trials of {} launches a side, --fail-if-slower {}\n\nslower by  passes  fails  undecided\n", trials,
               argv[2], limit_percent);
    for (const double slower_percent : {0, 2, 4, 5, 7, 10}) {
      std::array<int, 3> outcomes{};
      for (int i = 0; i < trials; ++i) ++outcomes[static_cast<std::size_t>(draws.draw(slower_percent))];
      fmt::print("{:>6} %  {:>8}  {:>5}  {:>9}\n", slower_percent, outcomes[0], outcomes[1], outcomes[2]);
    }
  } catch (const BadUsage& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
