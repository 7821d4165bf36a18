// A sweep's folder gets one verdict: from the sweep's own summary, from compare, from recommend, and from the report.
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "analysis/recommend/recommend.hpp"
#include "analysis/report/report.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/usable_rows.hpp"
#include "base/errors.hpp"
#include "base/write_file.hpp"
#include "results/files/result_file.hpp"
#include "sweeps/answer/answer.hpp"
#include "sweeps/file/checked_sweep.hpp"

namespace ringmark {
namespace {

using analysis::configuration_column;

/// The random part of a sweep and its launches.
struct Case {
  std::vector<std::string> sockets, ucx;  ///< values of two variables beside unset
  std::vector<std::uint64_t> sizes;
  bool has_nodes = false;  ///< ranks_per_node varies, by which nobody chooses
  bool is_zipped = false;  ///< it changes together with the sockets
  bool is_both = false;    ///< in place and not
  int repetitions = 1;
  double deviation = 0;       ///< of a launch's logarithm
  double effect = 0;          ///< of a setting's logarithm, at the most
  double coarse_us = 0;       ///< times are multiples of it, so that there are ties; 0: they are not
  double lost = 0;            ///< the share of rows that failed
  bool has_odd_path = false;  ///< one value of a variable takes another network
};

Case random_case(std::mt19937_64& random) {
  const auto pick = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  const auto often = [&](double share) { return std::bernoulli_distribution(share)(random); };
  Case one;
  const int sockets = pick(1, often(0.2) ? 8 : 3);
  for (int i = 1; i <= sockets; ++i) one.sockets.push_back(std::to_string(i));
  if (often(0.5)) one.ucx = {"rc", "tcp"};
  for (int i = pick(1, 3); i > 0; --i) one.sizes.push_back(std::uint64_t{1024} << static_cast<unsigned>(2 * i));
  one.has_nodes = often(0.3);
  one.is_zipped = one.has_nodes && sockets == 1 && often(0.5);
  one.is_both = often(0.3);
  one.repetitions = pick(1, 9);
  one.deviation = std::array{0.0, 0.002, 0.03, 0.2}[static_cast<std::size_t>(pick(0, 3))];
  one.effect = std::array{0.0, 0.02, 0.3}[static_cast<std::size_t>(pick(0, 2))];
  one.coarse_us = often(0.3) ? 5 : 0;
  one.lost = often(0.3) ? 0.2 : 0;
  one.has_odd_path = often(0.2);
  return one;
}

std::string yaml_of(const Case& one) {
  std::string text = fmt::format("question: Why?\nprogram: all-reduce\nranks: 4\nranks_per_node: 1\nrepetitions: {}\n",
                                 one.repetitions);
  text += fmt::format("variables:\n  tcp.sockets: [unset, {}]\n", fmt::join(one.sockets, ", "));
  if (!one.ucx.empty()) text += fmt::format("  UCX_TLS: [unset, {}]\n", fmt::join(one.ucx, ", "));
  if (one.has_nodes) text += "  ranks_per_node: [1, 2]\n";
  if (one.is_zipped) text += "zip: [[tcp.sockets, ranks_per_node]]\n";
  return text;
}

class OneVerdict : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    std::mt19937_64 random(GetParam());
    const auto one = random_case(random);
    checked_.emplace(sweep::check_sweep(yaml_of(one), "s.yaml"));
    launch_all(one, random);
    write_folder();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void launch_all(const Case& one, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> effects(checked_->plan.size());
    for (double& each : effects) each = one.effect * uniform(random);
    for (const auto& planned : checked_->plan.launches()) {
      done_.push_back({.launch = done_.size() + 1, .point = planned.point, .repetition = planned.repetition});
      const auto setting = checked_->plan.setting(planned.point);
      const double launch_error = one.deviation * normal(random);
      for (const auto size : one.sizes) {
        for (int in_place = 0; in_place <= (one.is_both ? 1 : 0); ++in_place) {
          auto row = row_of(setting);
          row.in_place = in_place;
          row.size_bytes = size;
          const double time = 0.01 * static_cast<double>(size) * std::exp(effects[planned.point] + launch_error);
          row.time_us_p50 = one.coarse_us > 0 ? one.coarse_us * std::ceil(time / one.coarse_us) : time;
          row.busbw_GBps = static_cast<double>(size) / *row.time_us_p50 / 1000 * 1.5;
          if (one.has_odd_path && setting[0] == "1") row.network = Network::ib;
          if (std::bernoulli_distribution(one.lost)(random)) row.status = Status::failed;
          rows_.push_back(row);
        }
      }
    }
  }

  Record row_of(const sweep::Setting& setting) const {
    Record row{.run_id = fmt::format("run.{}", done_.size()),
               .transport = Transport::tcp,
               .network = Network::tcp,
               .memory = MemoryKind::host};
    row.launch = done_.size();
    row.algorithm = "auto";
    row.collective = Collective::all_reduce;
    row.datatype = DataType::float32;
    row.op = ReduceOp::sum;
    row.timing = Timing::each;
    row.ranks = row.nodes = 4;
    row.status = Status::ok;
    for (std::size_t v = 0; v < setting.size(); ++v)
      row.extra[checked_->sweep.variables[v].name] = sweep::to_text(setting[v]);
    return row;
  }

  void write_folder() {
    std::vector<std::string> columns;
    auto manifest = nlohmann::json::object();
    const auto setting = checked_->plan.setting(checked_->plan.default_point());
    for (std::size_t v = 0; v < setting.size(); ++v) {
      columns.push_back(checked_->sweep.variables[v].name);
      manifest["default"][columns.back()] = setting[v] ? nlohmann::json(*setting[v]) : nlohmann::json();
    }
    auto text = write_csv(record_header(columns));
    for (const auto& row : rows_) text += write_csv(to_csv(row, columns));
    std::filesystem::create_directories(folder_);
    write_file(folder_ + "/results.csv", text);
    write_file(folder_ + "/manifest.json", manifest.dump());
    // The summary reads what the file holds.
    rows_ = read_records(text);
  }

  sweep::Answer answered() const { return sweep::answer(checked_->sweep, checked_->plan, rows_, done_); }

  std::optional<sweep::CheckedSweep> checked_;
  std::vector<Record> rows_;
  std::vector<sweep::Done> done_;
  const std::string folder_ = testing::TempDir() + fmt::format("one-verdict-{}-{}", GetParam(), ::getpid());
};

/// A configuration as the analysis names it: values in the order of the names, without those that are unset.
std::string configuration_of(const std::string& setting) {
  std::map<std::string, std::string> values;
  std::istringstream words(setting);
  for (std::string word; words >> word;) {
    if (!word.ends_with("=unset")) values[word.substr(0, word.find('='))] = word;
  }
  std::vector<std::string> ordered;
  for (const auto& [name, word] : values) ordered.push_back(word);
  return fmt::format("{}", fmt::join(ordered, " "));
}

using Compared = std::tuple<std::string, std::uint64_t, std::string>;  ///< case, size, configuration

std::map<Compared, Difference> differences_in(const sweep::Answer& answer) {
  std::map<Compared, Difference> all;
  for (const auto& measured : answer.cases) {
    for (const auto& setting : measured.settings) {
      if (setting.difference)
        all[{measured.name, measured.size_bytes, configuration_of(setting.name)}] = *setting.difference;
    }
  }
  return all;
}

std::string named(const std::string& case_name, const std::string& setting) {
  return setting.empty() ? case_name : case_name + ", " + setting;
}

std::map<Compared, Difference> differences_in(const analysis::CompareResult& result) {
  std::map<Compared, Difference> all;
  for (const auto& each : result.comparisons)
    all[{named(each.case_name, each.setting), each.size_bytes, each.value}] = each;
  return all;
}

/// A recommendation has the same best setting at each size as the sweep's summary, or one that ties with it.
void expect_same_best(const sweep::Answer& answer, const analysis::Recommendation& recommendation) {
  const auto differences = differences_in(answer);
  for (const auto& measured : answer.cases) {
    const auto is_compared = [](const sweep::MeasuredSetting& each) { return each.difference.has_value(); };
    if (std::none_of(measured.settings.begin(), measured.settings.end(), is_compared)) continue;
    const auto range = std::find_if(
        recommendation.by_size.begin(), recommendation.by_size.end(), [&](const analysis::BestRange& each) {
          return named(each.case_name, each.setting) == measured.name && each.from_bytes <= measured.size_bytes &&
                 measured.size_bytes <= each.to_bytes;
        });
    ASSERT_NE(range, recommendation.by_size.end()) << measured.name;
    const auto& best = measured.best();
    EXPECT_EQ(range->is_shown, best.difference && best.difference->verdict == Verdict::faster) << measured.name;
    if (!range->is_shown) {
      EXPECT_EQ(range->value, configuration_of(measured.settings[*measured.default_setting].name)) << measured.name;
      continue;
    }
    const auto& difference = differences.at({measured.name, measured.size_bytes, range->value});
    EXPECT_EQ(difference.verdict, Verdict::faster) << measured.name;
    EXPECT_EQ(std::tie(difference.ratio, difference.p), std::tie(best.difference->ratio, best.difference->p))
        << fmt::format("{}: {}, or {}", measured.name, range->value, best.name);
  }
}

void expect_same_verdicts(const sweep::Answer& answer, const nlohmann::json& report) {
  const auto expected = differences_in(answer);
  const auto& comparison = report.at("comparison");
  std::vector<nlohmann::json> rows = comparison.at("rows");
  for (const auto& row : rows) EXPECT_NE(row[4], name(Verdict::too_few)) << row;
  const std::vector<nlohmann::json> undecided = comparison.at("undecided");
  for (const auto& row : undecided) EXPECT_EQ(row[4], name(Verdict::too_few)) << row;
  rows.insert(rows.end(), undecided.begin(), undecided.end());
  EXPECT_EQ(rows.size(), expected.size());
  for (const auto& row : rows) {
    const auto difference = expected.find({named(row[0], row[1]), row[3].get<std::uint64_t>(), row[2]});
    ASSERT_NE(difference, expected.end()) << row;
    EXPECT_EQ(row[4], name(difference->second.verdict)) << row;
    EXPECT_EQ(row[5], in_words(difference->second)) << row;
  }
}

TEST_P(OneVerdict, from_every_program) {
  const auto answer = answered();
  const auto expected = differences_in(answer);
  auto results = analysis::read_results({folder_});
  analysis::add_configurations(results.table);
  std::vector<std::string> notes;
  const auto rows = analysis::usable_rows(results.table, notes);
  if (expected.empty()) {
    try {
      EXPECT_TRUE(analysis::compare(results.table, rows, {.by = configuration_column}).comparisons.empty());
    } catch (const BadUsage&) {  // there is nothing to compare
    }
    return;
  }
  const analysis::CompareOptions by_configuration{.by = configuration_column};
  const auto compared = differences_in(analysis::compare(results.table, rows, by_configuration));
  EXPECT_EQ(compared.size(), expected.size());
  for (const auto& [key, difference] : compared) {
    const auto found = expected.find(key);
    ASSERT_NE(found, expected.end()) << fmt::format("{}", key);
    EXPECT_EQ(difference, found->second) << fmt::format("{}: {}, or {}", key, in_words(difference),
                                                        in_words(found->second));
  }
  expect_same_best(answer, analysis::recommend(results.table, rows, std::nullopt));
  expect_same_verdicts(
      answer, nlohmann::json::parse(analysis::report_data({results.table, {}, {}, {}, {by_configuration, {}}})));
}

INSTANTIATE_TEST_SUITE_P(Seeds, OneVerdict, testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace ringmark
