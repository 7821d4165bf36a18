// Numbers distinct keys, to tell ranks apart.
#pragma once

#include <map>
#include <vector>

namespace ringmark::replay {

/// The number of each key: distinct keys are numbered in order of appearance.
template <class Key>
std::vector<int> numbered(const std::vector<Key>& keys) {
  std::map<Key, int> numbers;
  std::vector<int> result;
  for (const auto& key : keys)
    result.push_back(numbers.try_emplace(key, static_cast<int>(numbers.size())).first->second);
  return result;
}

}  // namespace ringmark::replay
