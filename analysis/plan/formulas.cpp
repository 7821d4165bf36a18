#include "analysis/plan/formulas.hpp"

#include <fmt/format.h>

#include "replay/generate/memory.hpp"

namespace ringmark::analysis {
namespace {

using namespace result_column;

/// Formulas of one line.
class Line {
 public:
  Line(const Scenario& scenario, const CellNames& names, const std::vector<PlanRow>& rows, std::size_t index)
      : scenario_(scenario),
        names_(names),
        row_(rows[index]),
        model_(names.models[row_.model]),
        cluster_(names.clusters[row_.cluster]),
        rows_(rows.size()),
        line_(index + first_result_line) {}

  Line(const Scenario& scenario, const CellNames& names, const PlanRow& row, std::size_t line, const GivenCells& given)
      : scenario_(scenario),
        names_(names),
        row_(row),
        model_(names.models[row_.model]),
        cluster_(names.clusters[row_.cluster]),
        given_(&given),
        rows_(0),
        line_(line) {}

  std::vector<ResultCell> cells() const {
    const auto& path =
        row_.nodes == 1 ? scenario_.clusters[row_.cluster].intra : scenario_.clusters[row_.cluster].network;
    const auto chosen = [&](const std::string& intra, const std::string& network) {
      return fmt::format("=IF({}=1,{},{})", at(nodes), intra, network);
    };
    return {
        accumulated(),
        {"nodes", "", "=" + names_.nodes[row_.nodes_index], row_.nodes},
        {"ranks", "GPUs", fmt::format("={}*{}", at(nodes), cluster_.gpus), row_.ranks},
        {"alpha_us", "µs", chosen(cluster_.intra_alpha, cluster_.alpha), path.alpha_us},
        {"GBps", "1e9 B / s", chosen(cluster_.intra_rate, cluster_.rate), path.GBps},
        {"memory_GB", "1e9 B", memory(), row_.memory_GB},
        {"fits", "0 or 1",
         fmt::format("=IF(AND(ISNUMBER({}),{}<={}-{}),1,0)", at(accumulation), at(memory_GB), cluster_.memory,
                     cluster_.reserve),
         row_.fits ? 1 : 0},
        figure("compute_s", "s", fmt::format("{}*{}", at(accumulation), micro_step()), row_.compute_s),
        figure("gradient_s", "s", seconds(gradient_bytes(), gradient_steps()), row_.gradient_s),
        figure("parameter_s", "s", seconds(parameter_bytes(), parameter_steps()), row_.parameter_s),
        figure("window_s", "s", window(), row_.window_s),
        figure("replay_factor", "", replayed(), row_.replay_factor),
        figure("exposed_s", "s",
               fmt::format("({4}+MAX(0,{0}+IF({1}=3,{2},0)-{3})+IF({1}=3,0,{2}))*{5}-{4}", at(gradient_s), at(stage),
                           at(parameter_s), at(window_s), at(compute_s), at(replay_factor)),
               row_.exposed_s),
        figure("step_s", "s", fmt::format("{}+{}", at(compute_s), at(exposed_s)), row_.step_s),
        figure("tokens_per_s", "1 / s", fmt::format("{}*{}*{}/{}", at(ranks), tokens(), at(accumulation), at(step_s)),
               row_.tokens_per_s),
        figure("samples_per_s", "1 / s", fmt::format("{}/{}", at(tokens_per_s), names_.sequence), row_.samples_per_s),
        figure("mfu", "share",
               fmt::format("{}*(6*{}+12*{}*{}*{})/({}*{}*1E12)", at(tokens_per_s), multiplied(), model_.layers,
                           names_.sequence, model_.hidden, at(ranks), cluster_.peak),
               row_.mfu),
        figure("scaling_factor", "per GPU", scaling(), row_.scaling_factor),
        figure("goodput", "share", advancing(), row_.goodput),
        figure("days", "days",
               fmt::format("{}/{}/86400/({}*{})", names_.tokens, at(tokens_per_s), at(goodput), names_.utilisation),
               row_.days),
        figure("cost", scenario_.currency, fmt::format("{}*24*{}*{}", at(days), at(ranks), cluster_.price), row_.cost),
        figure("cost_per_Btok", scenario_.currency, fmt::format("{}/({}/1E9)", at(cost), names_.tokens),
               row_.cost_per_Btok),
        figure("energy_MWh", "MWh", fmt::format("{}*24*{}*{}/1000", at(days), at(ranks), cluster_.power),
               row_.energy_MWh),
        figure("hidden_from_GBps", "1e9 B / s", hidden_from(), row_.hidden_from_GBps),
        figure("compute_factor", "",
               given_ != nullptr ? given_->compute_factor : fmt::format("{:.17G}", row_.compute_factor),
               row_.compute_factor),
        figure("interval_low_s", "s", interval(row_.interval_low_s), row_.interval_low_s),
        figure("interval_high_s", "s", interval(row_.interval_high_s), row_.interval_high_s),
        {"best", "0 or 1", is_best(), row_.is_best ? 1 : 0},
        {"beyond_fit", "0 or 1", beyond_fit(), row_.is_beyond_fit ? 1 : 0},
        {"number", "", "", static_cast<double>(line_ + 1 - first_result_line)}};
  }

 private:
  std::string at(std::size_t column) const { return fmt::format("{}{}", column_letter(column), line_); }
  std::string all(std::size_t column) const {
    return fmt::format("${0}${1}:${0}${2}", column_letter(column), first_result_line, rows_ + first_result_line - 1);
  }
  /// A figure that exists only where the configuration fits.
  ResultCell figure(const char* name, const std::string& unit, const std::string& formula,
                    std::optional<double> value) const {
    return {name, unit, fmt::format("=IF({}=1,{},\"\")", at(fits), formula), row_.fits ? value : std::nullopt};
  }

  /// Follows from the global batch, or is a number of the scenario's list.
  ResultCell accumulated() const {
    const auto value = row_.accumulation > 0 ? std::optional<double>(row_.accumulation) : std::nullopt;
    if (given_ != nullptr) return {"accumulation", "micro-steps", "=" + given_->accumulation, value};
    if (names_.batch.empty()) return {"accumulation", "micro-steps", "", value};
    const auto round = fmt::format("({}*{})", at(ranks), at(micro_batch));
    return {"accumulation", "micro-steps",
            fmt::format("=IF(AND({0}>={1},MOD({0},{1})=0),{0}/{1},\"\")", names_.batch, round), value};
  }

  /// goodput_of() of analysis/plan/goodput.hpp.
  std::string advancing() const {
    const auto& c = cluster_;
    const auto mtbf = fmt::format("({}*3600/{})", c.mtbf_hours, at(nodes));
    const auto ratio = fmt::format("({}/(2*{}))", c.write_s, mtbf);
    const auto optimum =
        fmt::format("IF({0}>=2*{1},{1},SQRT(2*{0}*{1})*(1+SQRT({2})/3+{2}/9)-{0})", c.write_s, mtbf, ratio);
    const auto interval = fmt::format("IF({0}>0,{0},MAX({1},{2}))", c.interval_s, least_interval_s, optimum);
    return fmt::format("IF({0}=0,1,{1}/({2}*EXP(MIN({3},{4}/{2}))*(EXP(MIN({5},({1}+{6})/{2}))-1)))", c.mtbf_hours,
                       interval, mtbf, most_failures_in_a_restart, c.restart_s, most_failures_in_an_interval,
                       c.write_s);
  }

  std::string tokens() const { return fmt::format("{}*{}", at(micro_batch), names_.sequence); }
  std::string multiplied() const { return fmt::format("({}-{})", model_.parameters, model_.looked_up); }
  std::string passes() const { return fmt::format("IF({}=1,4,3)", at(recompute)); }
  std::string micro_step() const {
    return fmt::format("({}*{}*(2*{}+2*{}*{}*{})/({}*1E12*{})*{})", passes(), tokens(), multiplied(), model_.layers,
                       names_.sequence, model_.hidden, cluster_.peak, cluster_.efficiency, at(compute_factor));
  }
  std::string memory() const {
    const auto settings = memory_settings(scenario_, row_);
    const auto kept = replay::kept_bytes(memory_shape(scenario_.models[row_.model], row_.recompute), settings);
    return fmt::format(
        "=(CHOOSE({0}+1,16*{1},4*{1}+16*{1}/{2},2*{1}+18*{1}/{2},16*{1}/{2}+MIN(4*{1}/{2},4E9)+MIN(2*{1},2E9))+"
        "IF({0}=0,0,2*(IF(AND({0}<3,{9}>0),2,1)*{3}+MIN({3},{1})))+"
        "{4}*(({13}*{5}+{11}*{12})*IF({6}=1,1,{7})+IF({6}=1,{14}*{5}*{7},0))+{10}*{4}*{8})/1E9",
        at(stage), model_.parameters, at(ranks), names_.bucket, tokens(), model_.hidden, at(recompute), model_.layers,
        model_.vocabulary, names_.overlap, kept.logit, kept.scores, names_.sequence, kept.layer, kept.input);
  }

  std::string interval(const std::optional<double>& end) const {
    return end ? fmt::format("{}*{:.17G}", at(step_s), *end / row_.step_s) : "\"\"";
  }

  /// The replayer's, as long as what its step rests on is what it was; else the arithmetic alone is left.
  std::string replayed() const {
    if (given_ != nullptr) return given_->replay_factor;
    if (row_.replay_factor == 1) return "1";
    const auto is_still = [&](std::size_t column, double value) {
      return fmt::format("ABS({}-{:.17G})<={:.17G}", at(column), value, 1e-9 * value);
    };
    // Buckets may change without any of the times, where a step costs nothing.
    return fmt::format("IF(AND({},{},{},{},{}={:.17G}),{:.17G},1)", is_still(compute_s, row_.compute_s),
                       is_still(gradient_s, row_.gradient_s), is_still(parameter_s, row_.parameter_s),
                       is_still(window_s, row_.window_s), names_.bucket, scenario_.bucket_elements, row_.replay_factor);
  }

  std::string scatters() const { return fmt::format("OR({0}=3,AND({1}=1,{0}>0))", at(stage), names_.scatter); }
  std::string rounds() const { return fmt::format("IF({}>=2,{},1)", at(stage), at(accumulation)); }
  std::string calls() const { return fmt::format("ROUNDUP({}/{},0)", model_.parameters, names_.bucket); }
  std::string gathered() const {
    return fmt::format("CHOOSE({}+1,0,1,1,{}*{})", at(stage), at(accumulation), model_.gathers);
  }
  std::string gradient_bytes() const {
    return fmt::format("{0}*IF({1},2,4)*({2}-1)/{2}*{3}", rounds(), scatters(), at(ranks), model_.parameters);
  }
  std::string gradient_steps() const {
    return fmt::format("{}*{}*IF({},1,2)*({}-1)", rounds(), calls(), scatters(), at(ranks));
  }
  std::string parameter_bytes() const {
    return fmt::format("{0}*2*({1}-1)/{1}*{2}", gathered(), at(ranks), model_.parameters);
  }
  std::string parameter_steps() const {
    return fmt::format("{}*IF({}=3,{},1)*({}-1)", gathered(), at(stage), model_.layers, at(ranks));
  }
  std::string seconds(const std::string& bytes, const std::string& steps) const {
    return fmt::format("{}/({}*1E9)+{}*{}/1E6", bytes, at(GBps), steps, at(alpha_us));
  }
  std::string window() const {
    const auto backward = fmt::format("{0}*({1}-1)/{1}", micro_step(), passes());
    return fmt::format("{0}*IF(OR({1}=0,AND({1}<3,{5}<=1)),0,IF({1}=3,{2}*{3},IF({1}=2,{2}*{4},{4})))", names_.overlap,
                       at(stage), at(accumulation), micro_step(), backward, calls());
  }
  std::string scaling() const {
    if (given_ != nullptr) return "\"\"";
    // Rows of one configuration follow one another.
    const auto first = line_ - row_.nodes_index, last = first + scenario_.nodes.size() - 1;
    const auto block = [&](std::size_t column) {
      return fmt::format("{0}${1}:{0}${2}", column_letter(column), first, last);
    };
    const auto fewest = fmt::format("_xlfn.MINIFS({},{},1)", block(ranks), block(fits));
    return fmt::format("{}/{}/(INDEX({},MATCH({},{},0))/{})", at(tokens_per_s), at(ranks), block(tokens_per_s), fewest,
                       block(ranks), fewest);
  }
  std::string hidden_from() const {
    const auto bytes = fmt::format("({}+IF({}=3,{},0))", gradient_bytes(), at(stage), parameter_bytes());
    const auto left = fmt::format("({}-({}+IF({}=3,{},0))*{}/1E6)", at(window_s), gradient_steps(), at(stage),
                                  parameter_steps(), at(alpha_us));
    return fmt::format("IF(AND({0}>0,{1}>0),{1}/{0}/1E9,\"\")", left, bytes);
  }
  std::string is_best() const {
    if (given_ != nullptr) return "=\"\"";
    return fmt::format("=IF({0}=1,IF({1}>=_xlfn.MAXIFS({2},{3},{4},{5},{6},{7},{8},{9},1)*(1-1E-9),1,0),0)", at(fits),
                       at(tokens_per_s), all(tokens_per_s), all(model), at(model), all(cluster), at(cluster),
                       all(nodes), at(nodes), all(fits));
  }

  /// True where a fit is used beyond its ranks; a path given by hand has no such limit.
  std::string beyond_fit() const {
    const auto& cluster = scenario_.clusters[row_.cluster];
    const auto is_beyond = [&](const PathCost& path) {
      return path.is_fitted ? fmt::format("IF({}>{},1,0)", at(ranks), path.fitted_ranks) : "0";
    };
    return fmt::format("=IF({}=1,{},{})", at(nodes), is_beyond(cluster.intra), is_beyond(cluster.network));
  }

  const Scenario& scenario_;
  const CellNames& names_;
  const PlanRow& row_;
  const CellNames::Model& model_;
  const CellNames::Cluster& cluster_;
  const GivenCells* given_ = nullptr;
  std::size_t rows_, line_;
};

}  // namespace

std::string column_letter(std::size_t column) {
  constexpr std::size_t letters = 26;
  const auto letter = [](std::size_t index) { return std::string(1, static_cast<char>('A' + index)); };
  return column < letters ? letter(column) : letter(column / letters - 1) + letter(column % letters);
}

std::string result_range(std::size_t column, std::size_t rows) {
  return fmt::format("Results!${0}${1}:${0}${2}", column_letter(column), first_result_line,
                     rows + first_result_line - 1);
}

std::vector<ResultCell> result_cells(const Scenario& scenario, const CellNames& names, const std::vector<PlanRow>& rows,
                                     std::size_t index) {
  return Line(scenario, names, rows, index).cells();
}

std::vector<ResultCell> variant_cells(const Scenario& scenario, const CellNames& names, const PlanRow& row,
                                      std::size_t line, const GivenCells& given) {
  return Line(scenario, names, row, line, given).cells();
}

}  // namespace ringmark::analysis
