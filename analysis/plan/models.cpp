#include "analysis/plan/models.hpp"

#include <algorithm>

#include "replay/model/architectures.hpp"

namespace ringmark::analysis {

double usual_gather_ratio(double parameters) { return std::clamp(2 - 1e9 / parameters, 1.0, 2.0); }

const std::vector<ModelShape>& shipped_models() {
  static const std::vector<ModelShape> models = [] {
    std::vector<ModelShape> shapes;
    for (const auto& each : replay::shipped_architectures()) {
      const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
      shapes.push_back({each.name, number(replay::make_model(each).elements()), number(each.layers),
                        number(each.hidden), number(each.vocabulary), number(each.heads), 2});
    }
    return shapes;
  }();
  return models;
}

std::optional<ModelShape> find_model(const std::string& name) {
  const auto& models = shipped_models();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const ModelShape& each) { return each.name == name; });
  return found == models.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ringmark::analysis
