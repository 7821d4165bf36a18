#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/text/text_table.hpp"
#include "base/units.hpp"
#include "replay/predict/fit_prediction.hpp"
#include "replay/predict/network.hpp"
#include "transports/schedules/choice.hpp"
#include "transports/schedules/moved_bytes.hpp"

namespace ringmark::replay {
namespace {

class FitNetwork final : public Network {
 public:
  FitNetwork(const Fit& fit, const FitChoice& choice) {
    std::set<std::string> paths;
    for (const auto& model : fit.models) {
      if (is_point_to_point(model.collective) || model.segments.empty()) continue;
      if (!choice.transport.empty() && model.transport != choice.transport) continue;
      if (!choice.network.empty() && model.network != choice.network) continue;
      models_.push_back(model);
      paths.insert(model.transport + " over " + (model.network.empty() ? "an unknown network" : model.network));
    }
    if (models_.empty())
      throw BadUsage(fmt::format(
          "--fit: no model of a collective{}",
          choice.transport.empty() && choice.network.empty() ? "" : " for this --fit-transport and --fit-network"));
    if (paths.size() > 1)
      throw BadUsage(fmt::format("--fit: has models of {}; choose one with --fit-transport and --fit-network",
                                 fmt::join(paths, ", ")));
    path_ = *paths.begin();
    keep_one_setting(choice);
    const auto& any = models_.front();
    if (const auto* burst = burst_of(fit, any.transport, any.network)) burst_ = *burst;
  }

  CollectiveTime time(const Event& event, const Group& group, int ranks) override {
    const int size = group.size(ranks);
    if (size < 2) return {};
    const auto bytes = largest_buffer_bytes(operation_of(event, size), size);
    const auto [found, is_new] = times_.try_emplace({event.collective, event.type, size, bytes});
    if (is_new) found->second = predicted(event, bytes, size);
    return found->second;
  }

  double burst_us() const override { return burst_ ? burst_->bytes / burst_->GBps * 1e-3 : 0; }

  std::vector<std::string> assumptions() const override {
    std::vector<std::string> lines{fmt::format("network: {}, as measured (fit/1)", path_)};
    lines.push_back(burst_ ? burst_assumption(burst_->bytes, "as measured over " + burst_->transport)
                           : "links are assumed to be no faster after idling, as that was not measured (ringmark-link "
                             "--test all measures it)");
    for (const auto& [what, size] : longest_)
      lines.push_back(fmt::format("beyond the measurements: {}: up to {} (measured: {})", what, format_size(size.first),
                                  size.second));
    for (const auto& [what, size] : shortest_)
      lines.push_back(fmt::format("beyond the measurements: {}: down to {} (measured: {})", what,
                                  format_size(size.first), size.second));
    for (const auto& line : outside_) lines.push_back("beyond the measurements: " + line);
    for (const auto& line : derived_) lines.push_back(line);
    for (const auto* model : used_) {
      const auto& segment = model->segments.back();
      const auto beta = segment.beta_us_per_byte;
      lines.push_back(fmt::format(
          "{} by {}: {} us per step{}, {}{}", model->collective, model->algorithm, short_number(segment.alpha_us),
          segment.alpha_us > 0 ? "" : " (too small to measure)",
          beta > 0 ? short_number(1e-3 / beta) + " GB/s" : "bytes take no time",
          segment.points > 2 ? fmt::format(", with an RMS error of {:.0f} %", segment.residual_percent) : ""));
    }
    return lines;
  }

 private:
  /// Keeps the models of a single choice of settings, since that is what a step runs with. A mix would use the best of
  /// each.
  void keep_one_setting(const FitChoice& choice) {
    std::set<std::string> all;
    for (const auto& model : models_) all.insert(model.settings);
    const auto wanted = choice.settings.value_or(all.size() == 1 ? *all.begin() : "");
    std::vector<std::string> others;
    for (const auto& each : all) {
      if (each != wanted) others.push_back(each.empty() ? "default settings" : each);
    }
    if (!all.contains(wanted))
      throw BadUsage(fmt::format("--fit: has models with {}{}; choose one with --fit-settings", fmt::join(others, ", "),
                                 choice.settings ? fmt::format(", and none with '{}'", wanted) : ""));
    std::erase_if(models_, [&](const FitModel& model) { return model.settings != wanted; });
    if (!wanted.empty()) path_ += " with " + wanted;
    if (others.empty()) return;
    path_ += fmt::format("{} (--fit-settings can choose others: {})", wanted.empty() ? " with default settings" : "",
                         fmt::join(others, ", "));
  }

  /// The model whose alpha and beta represent the link: a ring if there is one, then the longest vectors, then the best
  /// fit.
  const FitModel& most_telling() const {
    const auto rank_of = [](const FitModel& m) {
      return std::tuple(m.algorithm != "ring", std::numeric_limits<std::uint64_t>::max() - m.to_bytes,
                        m.segments.back().residual_percent);
    };
    return *std::min_element(models_.begin(), models_.end(),
                             [&](const auto& a, const auto& b) { return rank_of(a) < rank_of(b); });
  }

  CollectiveTime predicted(const Event& event, std::size_t bytes, int ranks) {
    const FitModel* best = nullptr;
    std::optional<Prediction> prediction;
    for (const auto& model : models_) {
      if (model.collective != name(event.collective)) continue;
      const auto one = predict(model, bytes, ranks);
      if (!one) continue;
      // The distance from the measured sizes comes first: times of short vectors say nothing about long ones.
      const auto rank_of = [&](const FitModel& m, const Prediction& p) {
        constexpr double is_far = 16;
        return std::tuple(std::floor(std::log(p.beyond_sizes) / std::log(is_far)), p.has_other_ranks,
                          p.beyond_sizes > 1, m.datatype != name(event.type), p.time_us);
      };
      if (best == nullptr || rank_of(model, *one) < rank_of(*best, *prediction)) best = &model, prediction = one;
    }
    if (best != nullptr) {
      if (std::find(used_.begin(), used_.end(), best) == used_.end()) used_.push_back(best);
      const auto what = best->collective + " by " + best->algorithm;
      if (prediction->beyond_sizes > 1) {
        const bool is_long = bytes > best->to_bytes;
        auto& most =
            (is_long ? longest_ : shortest_).try_emplace(what, bytes, measured_sizes(*best)).first->second.first;
        most = is_long ? std::max(most, bytes) : std::min(most, bytes);
      }
      if (prediction->has_other_ranks)
        outside_.insert(fmt::format("{}: {} ranks (measured: {})", what, ranks, measured_ranks(*best)));
      return {std::max(0.0, prediction->time_us), prediction->bytes_us};
    }
    const auto& other = most_telling();
    const LinkCost link{other.segments.front().alpha_us, other.segments.back().beta_us_per_byte};
    const auto algorithm = AlgorithmChoice(Topology::flat(ranks), link).choose(event.collective, bytes);
    const auto cost = cost_of(std::string(name(event.collective)), std::string(algorithm), ranks, 1);
    derived_.insert(fmt::format("{}: not measured; predicted from alpha and beta of {} by {}", name(event.collective),
                                other.collective, other.algorithm));
    if (!cost) return {};
    const double sent = moved_bytes(*cost, static_cast<double>(bytes));
    return {std::max(0.0, time_us_by(other.segments, cost->steps, sent)),
            sent * segment_for(other.segments, cost->steps, sent).beta_us_per_byte};
  }

  std::vector<FitModel> models_;
  std::string path_;
  std::optional<FitBurst> burst_;
  std::map<std::tuple<Collective, DataType, int, std::size_t>, CollectiveTime> times_;
  std::map<std::string, std::pair<std::size_t, std::string>> longest_, shortest_;  ///< size, and the measured sizes
  std::set<std::string> outside_, derived_;
  std::vector<const FitModel*> used_;  ///< elements of models_, in the order of first use
};

}  // namespace

std::string burst_assumption(double bytes, std::string_view source) {
  if (bytes == 0) return fmt::format("links are no faster after idling, {}", source);
  return fmt::format("links let {} through at once after idling, {}", format_size(static_cast<std::size_t>(bytes)),
                     source);
}

std::unique_ptr<Network> make_network(const Fit& fit, const FitChoice& choice) {
  return std::make_unique<FitNetwork>(fit, choice);
}

}  // namespace ringmark::replay
