// Flags: matches a command line against the declared flags, and describes what is wrong with it.
#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/flags/flags.hpp"
#include "base/text/spelling.hpp"

namespace ringmark {

Flags& Flags::chosen() {
  const auto found =
      std::find_if(subcommands_.begin(), subcommands_.end(), [](const auto& each) { return each->is_chosen(); });
  return found == subcommands_.end() ? *this : **found;
}

std::vector<std::string> Flags::subcommand_names() const {
  std::vector<std::string> names;
  for (const auto& each : subcommands_) {
    if (!each->is_hidden_) names.push_back(each->name_);
  }
  return names;
}

Flags::Outcome Flags::parse(int argc, const char* const* argv, const std::function<void()>& check) {
  finish();
  try {
    auto words = own_spellings(argc, argv);
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    problems_.clear();
    return {exit_ok, app_->help()};
  } catch (const CLI::CallForVersion&) {
    problems_.clear();
    return {exit_ok, version_ + "\n"};
  } catch (const CLI::RequiredError&) {
    // require_all() names all missing ones
  } catch (const CLI::ParseError& error) {
    add_problem({.text = error.what()});
    return {exit_usage, ""};
  }
  const auto known = problems_.size();
  refuse_unexpected();
  if (problems_.size() == known) chosen().require_all();
  if (problems_.size() == known) {
    try {
      check();
    } catch (const BadUsage& error) {
      problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
    }
  }
  return {problems_.empty() ? std::nullopt : std::optional(exit_usage), ""};
}

/// True for one dash and several letters, which CLI11 would parse as a one-letter flag with a value.
bool Flags::is_hinted_cluster(const std::string& word) const {
  return word.size() > 2 && word[0] == '-' && word[1] != '-' && hints_.contains(word);
}

/// The name of a flag that the command line uses.
std::string Flags::spelling_of(const std::vector<std::string>& names) const {
  const auto is_typed = [this](const std::string& name) {
    return std::any_of(typed_.begin(), typed_.end(), [&](const std::string& word) {
      return word == name || (name.size() > 2 && word.starts_with(name + "="));
    });
  };
  const auto found = std::find_if(names.begin(), names.end(), is_typed);
  return found == names.end() ? names.front() : *found;
}

/// The words after the program's name in reverse order, as CLI11 expects them.
std::vector<std::string> Flags::own_spellings(int argc, const char* const* argv) {
  typed_.assign(argv + std::min(argc, 1), argv + argc);
  std::vector<std::string> words;
  for (int i = argc - 1; i > 0; --i) {
    std::string word = argv[i];
    if (is_hinted_cluster(word)) {
      const bool has_value = !words.empty() && !words.back().starts_with('-');
      refuse_word(word, has_value ? words.back() : "");
      if (has_value) words.pop_back();
      continue;
    }
    const auto end = std::min(word.find('='), word.size());
    if (const auto found = synonyms_.find(word.substr(0, end));
        found != synonyms_.end() && app_->get_option_no_throw(found->second) != nullptr)
      word.replace(0, end, found->second);
    words.push_back(std::move(word));
  }
  return words;
}

void Flags::require_all() {
  if (!subcommands_.empty())
    add_problem(
        {.text = fmt::format("the subcommand is missing; give one of {}", fmt::join(subcommand_names(), ", "))});
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i].is_required && words_[i].option->count() == 0)
      add_problem({.flag = facts_[i].name, .text = "is missing", .remedy = "give " + facts_[i].type});
  }
}

void Flags::refuse_unexpected() {
  const auto words = app_->remaining(true);
  if (!chosen().subcommands_.empty() && !words.empty() && !words.front().starts_with('-')) {
    add_problem({.text = fmt::format("unknown subcommand '{}'; give one of {}", words.front(),
                                     fmt::join(subcommand_names(), ", "))});
    return;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const bool has_value = word.starts_with('-') && word.find('=') == std::string::npos && i + 1 < words.size() &&
                           !words[i + 1].starts_with('-');
    chosen().refuse_word(word, has_value ? words[++i] : "");
  }
}

void Flags::refuse_word(const std::string& word, const std::string& next) {
  if (!word.starts_with('-')) {
    add_problem({.flag = word, .text = "not expected", .remedy = surplus_remedy_});
    return;
  }
  const auto equals = word.find('=');
  Problem problem{word.substr(0, equals), equals == std::string::npos ? next : word.substr(equals + 1), "not expected"};
  const auto hint = hints_.find(problem.flag);
  std::vector<std::string_view> known;
  for (const auto& facts : facts_) {
    if (facts.name.starts_with("--")) known.push_back(std::string_view(facts.name).substr(2));
  }
  const auto meant = problem.flag.starts_with("--") ? meant_by(std::string_view(problem.flag).substr(2), known) : "";
  if (hint != hints_.end()) {
    problem.text = fmt::format("is a flag of {}", hint->second.program);
    problem.remedy = hint->second.meaning;
  } else {
    // Suggests "-b" for "--b", as in a sweep's arguments.
    const auto* of_letter = problem.flag.size() == 3 ? app_->get_option_no_throw(problem.flag.substr(1)) : nullptr;
    const bool is_own = of_letter != nullptr && !of_letter->get_group().empty();
    problem.remedy = is_own          ? fmt::format("did you mean {}?", of_letter->get_name())
                     : meant.empty() ? "--help lists all flags"
                                     : fmt::format("did you mean --{}?", meant);
  }
  add_problem(std::move(problem));
}

}  // namespace ringmark
