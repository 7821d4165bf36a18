#include "analysis/plan/key_reader.hpp"

namespace ringmark::analysis {

std::set<std::string> KeyReader::map(const YAML::Node& node, const std::string& of, const std::vector<Key>& keys,
                                     const std::vector<std::string>& required) {
  std::vector<std::string> names;
  for (const auto& key : keys) names.emplace_back(key.name);
  std::set<std::string> seen;
  for (const auto& entry : read_.map(of, node, names)) {
    seen.insert(entry.key);
    key_ = entry.key;
    const auto is_it = [&](const Key& key) { return key.name == entry.key; };
    std::find_if(keys.begin(), keys.end(), is_it)->take(entry.value);
  }
  for (const auto& name : required) {
    if (node.IsMap() && !seen.contains(name)) read_.problem(node, "{}: {} is missing", of, name);
  }
  return seen;
}

KeyReader::Take KeyReader::share(double& to, const Interval& limits) {
  return [this, &to, limits](const YAML::Node& node) {
    constexpr double percent = 100;
    auto words = node.IsScalar() ? node.Scalar() : "";
    const bool has_sign = words.ends_with('%');
    while (!words.empty() && (words.back() == '%' || words.back() == ' ')) words.pop_back();
    const double times = has_sign ? percent : 1;
    if (!read_number<double>(words, limits.low * times, limits.high * times, to))
      return read_.problem(node, "{}: {} is not a share; give one from {} to {}, or from {} % to {} %", key_,
                           YamlReader::shown(node), limits.low, limits.high, limits.low * percent,
                           limits.high * percent);
    to /= times;
  };
}

KeyReader::Take KeyReader::estimate(double& likely, Interval& range, const Interval& limits) {
  return [this, &likely, &range, least = limits.low, most = limits.high](const YAML::Node& node) {
    range = {1, 1};
    if (!node.IsMap()) return number(likely, least, most)(node);
    const auto key = key_;
    const auto problems = read_.problems().size();
    Interval ends{};
    map(node, key,
        {{"low", number(ends.low, least, most)},
         {"likely", number(likely, least, most)},
         {"high", number(ends.high, least, most)}},
        {"low", "likely", "high"});
    if (read_.problems().size() > problems) return;
    if (ends.low <= 0 || ends.low > likely || likely > ends.high)
      return read_.problem(node, "{}: low {}, likely {}, high {} are not in order; give 0 < low <= likely <= high", key,
                           ends.low, likely, ends.high);
    range = {ends.low / likely, ends.high / likely};
  };
}

KeyReader::Take KeyReader::each(Take take) {
  return [this, take = std::move(take)](const YAML::Node& node) {
    if (!node.IsSequence()) return take(node);
    if (node.size() == 0) read_.problem(node, "{}: the list is empty", key_);
    for (const auto& item : node) take(item);
  };
}

KeyReader::Take KeyReader::whole_numbers(std::vector<int>& to, int least, int most) {
  return values(to, [this, least, most](const YAML::Node& item) { return read_.number(key_, item, least, most); });
}

}  // namespace ringmark::analysis
