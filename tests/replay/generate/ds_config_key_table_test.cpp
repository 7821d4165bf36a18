#include "replay/generate/ds_config_key_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/generate/ds_config_keys.hpp"
#include "tests/replay/generate/ds_config_text.hpp"
#include "tests/replay/known_keys.hpp"

namespace ringmark::replay {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// The text of a file whose `key` in `section` has this value.
std::string file_with(std::string section, std::string_view key, const std::string& value) {
  auto text = fmt::format(R"({{"{}": {}}})", key, value);
  while (!section.empty()) {
    const auto dot = section.rfind('.');
    text = fmt::format(R"({{"{}": {}}})", section.substr(dot + 1), text);
    section.resize(dot == std::string::npos ? 0 : dot);
  }
  return text;
}

TEST(DsConfigKeyTable, has_a_class_for_each_key_of_deep_speed) {
  const auto known = testing_support::known_keys("ds_config");
  ASSERT_GT(known.size(), 400U);
  std::vector<std::string> without;
  for (const auto& [section, key] : known) {
    if (!class_of_ds_config_key(key, section)) without.push_back(section + " " + key);
  }
  EXPECT_THAT(without, IsEmpty());
}

TEST(DsConfigKeyTable, has_one_class_for_each_key) {
  for (const auto& list : ds_config_key_lists) {
    for (const auto key : words_of(list.keys)) {
      EXPECT_EQ(class_of_ds_config_key(key, list.section), list.kind) << list.section << " " << key;
    }
  }
}

TEST(DsConfigKeyTable, is_not_silent_about_keys_that_are_not_modelled) {
  for (const auto& each : unmodelled_ds_config_keys) {
    SCOPED_TRACE(fmt::format("{} {}", each.section, each.key));
    const auto path = each.section.empty() ? std::string(each.key) : fmt::format("{}.{}", each.section, each.key);
    const bool is_section = std::any_of(ds_config_key_lists.begin(), ds_config_key_lists.end(),
                                        [&](const auto& list) { return list.section == path; });
    const std::string value = each.usual == "true"     ? "false"
                              : each.key == "pipeline" ? R"({"seed_layers": true})"
                              : is_section             ? R"({"enabled": true})"
                                                       : "2";
    const auto text = file_with(std::string(each.section), each.key, value);
    if (each.kind == KeyClass::refused) {
      EXPECT_THAT(config_refusal(text), HasSubstr(std::string(each.key)));
    } else {
      EXPECT_THAT(read_config(text).notes, Contains(HasSubstr(std::string(each.key))));
    }
    if (each.usual.empty()) continue;
    EXPECT_THAT(read_config(file_with(std::string(each.section), each.key, std::string(each.usual))).notes, IsEmpty());
  }
}

}  // namespace
}  // namespace ringmark::replay
