#include "base/command_line.hpp"

#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/spelling.hpp"

namespace ringmark {
namespace {

/// Long flags (without dashes) of a program and of the given subcommand.
std::vector<std::string_view> flags_of(const CLI::App& app) {
  std::vector<std::string_view> flags;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) flags.push_back(name);
  }
  for (const auto* subcommand : app.get_subcommands()) {
    const auto more = flags_of(*subcommand);
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

}  // namespace

std::string failure_words(const CLI::App* app, const CLI::Error& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return CLI::FailureMessage::simple(app, error);
  const auto words = app->remaining(true);
  auto text = fmt::format("{}: not expected", fmt::join(words, " "));
  const auto flags = flags_of(*app);
  for (const auto& word : words) {
    if (!word.starts_with("--")) continue;
    const auto meant = meant_by(std::string_view(word).substr(2, word.find('=') - 2), flags);
    if (!meant.empty()) text += fmt::format("; is --{} meant?", meant);
  }
  return text + "\nRun with --help for more information.\n";
}

}  // namespace ringmark
