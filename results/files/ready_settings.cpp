#include "results/files/ready_settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/shell_text.hpp"

namespace ringmark {

SettingKind setting_kind(std::string_view name) {
  if (name.find('.') != std::string_view::npos) return SettingKind::option;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool is_variable =
      !name.empty() && !is_digit(name.front()) &&
      std::all_of(name.begin(), name.end(), [&](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
  return is_variable ? SettingKind::environment : SettingKind::flag;
}

std::string argument_of(std::string_view name, std::string_view value) {
  return fmt::format("--{}{}={}", setting_kind(name) == SettingKind::option ? "set=" : "", name, value);
}

std::string best_env(const ReadySettings& settings) {
  auto text = as_comment(settings.evidence);
  for (const auto& [name, value] : settings.environment)
    text += value ? fmt::format("export {}={}\n", name, shell_word(*value)) : fmt::format("unset {}\n", name);
  // Exported even if empty, to undo a file that was sourced earlier.
  return text + fmt::format("export RINGMARK_ARGUMENTS={}\n", shell_word(shell_words(settings.arguments)));
}

std::string nccl_conf(const ReadySettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings.environment) {
    if (value && name.starts_with("NCCL_")) text += fmt::format("{}={}\n", name, *value);
  }
  return text.empty() ? text : as_comment(settings.evidence) + text;
}

}  // namespace ringmark
