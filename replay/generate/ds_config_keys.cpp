#include "replay/generate/ds_config_keys.hpp"

#include <algorithm>
#include <vector>

#include "base/text/spelling.hpp"
#include "replay/generate/ds_config_key_table.hpp"

namespace ringmark::replay {
namespace {

bool has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The section itself, or the innermost one around it that has keys in the table.
std::string_view listed_section(std::string_view section) {
  if (section == "bfloat16") return "bf16";
  const auto is_listed = [&](const DsConfigKeyList& list) { return list.section == section; };
  while (std::none_of(ds_config_key_lists.begin(), ds_config_key_lists.end(), is_listed))
    section = section.substr(0, std::max<std::size_t>(section.rfind('.') + 1, 1) - 1);
  return section;
}

}  // namespace

std::optional<KeyClass> class_of_ds_config_key(std::string_view key, std::string_view section) {
  if (const auto* unmodelled = unmodelled_ds_config_key(key, section)) return unmodelled->kind;
  section = listed_section(section);
  for (const auto& list : ds_config_key_lists) {
    if (list.section != section) continue;
    const auto keys = words_of(list.keys);
    if (has(keys, key) || has(keys, "*")) return list.kind;
  }
  return std::nullopt;
}

const UnmodelledKey* unmodelled_ds_config_key(std::string_view key, std::string_view section) {
  section = listed_section(section);
  const auto* found =
      std::find_if(unmodelled_ds_config_keys.begin(), unmodelled_ds_config_keys.end(),
                   [&](const UnmodelledKey& each) { return each.section == section && each.key == key; });
  return found == unmodelled_ds_config_keys.end() ? nullptr : found;
}

std::string_view meant_key(std::string_view key, std::string_view section) {
  section = listed_section(section);
  std::vector<std::string_view> known;
  for (const auto& list : ds_config_key_lists) {
    if (list.section != section) continue;
    const auto keys = words_of(list.keys);
    known.insert(known.end(), keys.begin(), keys.end());
  }
  for (const auto& each : unmodelled_ds_config_keys) {
    if (each.section == section) known.push_back(each.key);
  }
  // Short keys are easily within reach of another one, so they are not guessed.
  constexpr std::size_t short_key = 4;
  std::erase_if(known, [](std::string_view each) { return each.size() < short_key; });
  return meant_by(lower_case(key), known);
}

}  // namespace ringmark::replay
