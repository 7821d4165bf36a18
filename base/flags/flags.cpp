#include "base/flags/flags.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/text/spelling.hpp"

namespace ringmark {
namespace {

bool is_truth(std::string_view word) {
  constexpr std::array words{"true", "false", "yes", "no", "on", "off", "1", "0"};
  return std::find(words.begin(), words.end(), lower_case(word)) != words.end();
}

}  // namespace

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> split_at_commas(std::string_view text) { return split_at(text, ','); }

Flags::Flags(const std::string& program, std::string description, std::string version)
    : own_(std::make_unique<CLI::App>(std::move(description), program)),
      app_(own_.get()),
      root_(this),
      version_(std::move(version)) {
  app_->set_help_flag();  // finish() adds it after the other flags
  app_->allow_extras();
}

Flags::Flags(CLI::App* app, std::string name, Flags* root)
    : app_(app), root_(root), name_(std::move(name)), version_(root->version_) {}

Flags::~Flags() = default;

void Flags::examples(const std::vector<std::string>& lines, const std::string& remarks) {
  std::string text = "Examples:\n";
  for (const auto& line : lines) text += "  " + line + "\n";
  app_->footer(text + (remarks.empty() ? "" : "\n") + remarks);
}

void Flags::foreign(std::string program, std::vector<Foreign> flags, std::map<std::string, std::string> synonyms) {
  foreign_program_ = std::move(program);
  foreign_ = std::move(flags);
  synonyms_ = std::move(synonyms);
}

void Flags::hints(const std::string& program, const std::map<std::string, std::string>& meanings) {
  for (const auto& [flag, meaning] : meanings) hints_.insert_or_assign(flag, Hint{program, meaning});
}

Flags& Flags::subcommand(const std::string& name, const std::string& meaning) {
  auto* app = app_->add_subcommand(name, meaning);
  app_->require_subcommand(1);
  return *subcommands_.emplace_back(new Flags(app, name, this));
}

Flags& Flags::hidden_subcommand(const std::string& name) {
  auto& flags = subcommand(name, "");
  flags.app_->group("");
  flags.is_hidden_ = true;
  return flags;
}

Flags& Flags::toggle(const std::string& names, bool& to, const std::string& meaning) {
  auto* option = app_->add_flag(names, to, meaning)->group(group_);
  // CLI11 parses the leading digits of any word, so "--recompute=1/2" would be true.
  const auto check = [this, flag = option->get_name()](std::string& word) {
    if (!is_truth(word)) add_problem({flag, std::exchange(word, "false"), "give true or false, or no value at all"});
    return std::string();
  };
  option->transform(CLI::Validator(check, ""));
  facts_.push_back({option->get_name(), name_, group_, "", "", meaning});
  words_.push_back({option});
  return *this;
}

Flags& Flags::word(const std::string& names, const std::string& type, std::string default_text, Reader read,
                   const std::string& meaning) {
  return add(names, type, std::move(default_text), std::move(read), meaning, Times::once);
}

Flags& Flags::repeatable(const std::string& names, const std::string& type, Reader read, const std::string& meaning) {
  return add(names, type, "", std::move(read), meaning, Times::repeatedly);
}

Flags& Flags::texts(const std::string& names, std::vector<std::string>& to, const std::string& meaning,
                    const std::string& type) {
  return add(
      names, type, "", [&to](const std::string& word) { return to.push_back(word), ""; }, meaning, Times::in_a_row);
}

std::string Flags::why_no_size(std::string_view word) {
  if (word.size() > 1 && word.ends_with('b')) {
    if (const auto in_bytes = fmt::format("{}B", word.substr(0, word.size() - 1)); parse_size(in_bytes))
      return fmt::format("b may mean bits; did you mean {}?", in_bytes);
  }
  return "give a size in bytes like 8, 64K, 4MB or 1GiB (K, M, G are powers of 1024)";
}

Flags& Flags::sizes(const std::string& names, std::vector<std::size_t>& to, const std::string& meaning,
                    std::size_t least) {
  const auto read = [&to, least](const std::string& text) -> std::string {
    to.clear();
    for (const auto& part : split_at_commas(text)) {
      const auto value = parse_size(part);
      if (!value) return why_no_size(part);
      if (*value < least) return fmt::format("give at least {}", least);
      if (std::find(to.begin(), to.end(), *value) != to.end())
        return fmt::format("{} is given twice", format_size(*value));
      to.push_back(*value);
    }
    return {};
  };
  return word(names, "LIST", "", read, meaning);
}

Flags& Flags::add(const std::string& names, const std::string& type, std::string default_text, Reader read,
                  const std::string& meaning, Times times) {
  const auto index = words_.size();
  const auto take = [this, index, times, read = std::move(read)](const CLI::results_t& values) {
    const auto& flag = facts_[index].name;
    for (const auto& word : values) {
      const auto& value = word.empty() ? words_[index].implied : word;
      if (value.empty() && !words_[index].may_be_empty) {
        add_problem({.flag = flag, .text = "the value is empty"});
      } else if (auto allowed = read(value); !allowed.empty()) {
        add_problem({.flag = flag, .value = value, .text = std::move(allowed)});
      }
    }
    if (times == Times::once && values.size() > 1)
      add_problem({.flag = flag, .value = values.back(), .text = "is given twice"});
    return true;  // continue, to report further problems too
  };
  auto* option = app_->add_option(names, take, meaning)->group(group_)->default_str(default_text);
  option->type_name(times == Times::repeatedly ? type + " ..." : type)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (times == Times::in_a_row) option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  facts_.push_back({option->get_name(), name_, group_, type, std::move(default_text), meaning});
  words_.push_back({option});
  return *this;
}

Flags& Flags::required() {
  words_.back().is_required = true;
  words_.back().option->required();
  return *this;
}

Flags& Flags::may_be_empty() {
  words_.back().may_be_empty = true;
  return *this;
}

Flags& Flags::value_is_optional(std::string implied) {
  words_.back().implied = std::move(implied);
  words_.back().option->expected(0, 1);
  show_default("");
  return *this;
}

Flags& Flags::show_default(std::string text) {
  words_.back().option->default_str(text);
  facts_.back().default_text = std::move(text);
  return *this;
}

bool Flags::is_given(const std::string& flag) const {
  const auto* option = app_->get_option_no_throw(flag);
  return option != nullptr && option->count() > 0;
}

std::string Flags::given(const std::string& flag) const {
  const auto* option = app_->get_option_no_throw(flag);
  return option == nullptr || option->count() == 0 ? "" : option->results().back();
}

bool Flags::is_chosen() const { return app_->parsed(); }

void Flags::problem(const std::string& flag, std::string text, std::string remedy) {
  const bool is_toggle = std::any_of(facts_.begin(), facts_.end(),
                                     [&](const FlagFacts& each) { return each.name == flag && each.type.empty(); });
  add_problem({flag, is_toggle ? "" : given(flag), std::move(text), std::move(remedy)});
}

std::vector<FlagFacts> Flags::list_all() const {
  auto all = facts_;
  for (const auto& subcommand : subcommands_) {
    if (subcommand->is_hidden_) continue;
    all.insert(all.end(), subcommand->facts_.begin(), subcommand->facts_.end());
  }
  return all;
}

std::string Flags::help() {
  root_->finish();
  return app_->help(this == root_ ? "" : root_->app_->get_name());
}

void Flags::add_foreign() {
  for (const auto& foreign : foreign_) {
    auto free = split_at_commas(foreign.names);
    std::erase_if(free, [&](const std::string& name) { return app_->get_option_no_throw(name) != nullptr; });
    if (free.empty()) continue;
    const auto take = [this, free, read = foreign.read](const CLI::results_t& values) {
      for (const auto& value : values) {
        if (auto counterpart = read(value); !counterpart.empty())
          add_problem(
              {spelling_of(free), value, fmt::format("is a flag of {}", foreign_program_), std::move(counterpart)});
      }
      return true;
    };
    constexpr auto in_no_help = "";
    app_->add_option(fmt::format("{}", fmt::join(free, ",")), take)
        ->group(in_no_help)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

void Flags::finish() {
  if (std::exchange(is_finished_, true)) return;
  add_foreign();
  constexpr auto heading = "Other";
  app_->set_help_flag("-h,--help", "Print this help and exit")->group(heading);
  app_->set_version_flag("--version", version_, "Print the version and exit")->group(heading);
  for (const auto& subcommand : subcommands_) subcommand->finish();
}

}  // namespace ringmark
