#include "sweeps/training/step_space.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/flags/option.hpp"
#include "base/input/input.hpp"
#include "base/system/files.hpp"
#include "base/write_file.hpp"
#include "replay/generate/generate.hpp"
#include "replay/generate/memory.hpp"
#include "replay/trace/fingerprint.hpp"
#include "replay/trace/trace_file.hpp"
#include "results/files/ready_settings.hpp"
#include "sweeps/file/argument_check.hpp"
#include "sweeps/file/variable_file.hpp"

namespace ringmark::sweep {
namespace {

using Json = nlohmann::ordered_json;

/// The key of the run's file that gave a flag.
std::string key_of(const TrainingRun& run, const std::string& flag) {
  const auto name = without_dashes(flag);
  for (const auto* section : {"step", "compute", "network", "arguments"}) {
    if (auto key = fmt::format("{}.{}", section, name); run.lines.contains(key)) return key;
  }
  auto key = name;
  std::replace(key.begin(), key.end(), '-', '_');
  return run.lines.contains(key) ? key : std::string();
}

[[noreturn]] void refuse(const TrainingRun& run, std::vector<Problem> problems) {
  for (auto& problem : problems) {
    const auto key = key_of(run, problem.flag);
    if (problem.place) continue;
    problem.place = Place{run.file, run.line_of(key)};
    if (!key.empty()) problem.flag = key;
  }
  throw BadUsage(std::move(problems));
}

}  // namespace

StepSpace::StepSpace(const TrainingRun& run, std::string folder) : run_(run), folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  own_.name = "default";
  own_.description = own_description();
  given_ = own_.description;
  options_ = read(own_.description, run.ds_config);
  if (options_.step) {
    settle_batch(own_.description, options_.step->settings);
    if (own_.description.ds_config)
      write_file(folder_ + "/default.ds_config.json", own_.description.ds_config->dump(2) + "\n");
    options_ = read(own_.description, own_.description.ds_config ? folder_ + "/default.ds_config.json" : "");
    take(options_.step->settings, own_);
    framework_ = options_.step->settings.framework;
  } else {
    own_.trace = replay::read_trace(run.trace);
    if (own_.trace.ranks != run.base.ranks)
      refuse(run, {{.flag = "ranks",
                    .value = std::to_string(run.base.ranks),
                    .text = fmt::format("the trace has {} ranks", own_.trace.ranks),
                    .remedy = "give that number"}});
  }
  try {
    static_cast<void>(options_.compute.model_for(own_.trace));
  } catch (const BadUsage& error) {
    auto problems = error.problems();
    for (auto& problem : problems) {
      if (problem.flag.empty()) problem.flag = "compute";
    }
    refuse(run, std::move(problems));
  }
  if (options_.step) {
    static_cast<void>(micro_batches());
    for (const auto part : {Part::strategy, Part::framework}) check_values(part);
  }
  options_.links.ranks_per_node =
      options_.ranks_per_node.value_or(own_.trace.ranks_per_node.value_or(replay::usual_ranks_per_node));
}

std::string StepSpace::trace_file(const Candidate& candidate) const {
  auto path = std::filesystem::absolute(folder_ + "/" + candidate.name + ".jsonl").string();
  std::ostringstream text;
  replay::write_trace(whole_trace(candidate), text);
  const auto before = read_if_readable(path);
  if (before == text.view()) return path;
  if (!before.empty())
    throw BadUsage(fmt::format(
        "{} differs from the step that {} describes now: the run was begun with other files; undo that, or choose "
        "another folder",
        path, run_.file));
  write_file(path, text.str());
  return path;
}

std::string StepSpace::why_fixed() const {
  return options_.step ? "" : "a trace is one fixed step: give the model to change how it is trained";
}

StepDescription StepSpace::own_description() const {
  StepDescription description{{}, run_.step, {}};
  if (!run_.ds_config.empty()) {
    // Read again in the order of the user's keys; the replayer's reader has already found it valid.
    const auto text = whole_text(run_.ds_config, "ds_config " + run_.ds_config);
    static_cast<void>(parse_json(run_.ds_config, text));
    description.ds_config = Json::parse(text, nullptr, true, true);
    return description;
  }
  if (!run_.trace.empty()) return description;
  const auto named = description.flags.contains("framework") ? description.flags["framework"].value_or("") : "";
  const auto framework = named.empty() ? replay::Framework() : replay::parse_framework(named);
  if (framework && framework->kind == replay::Framework::Kind::deepspeed)
    description.ds_config = config_of_flags(description.flags);
  return description;
}

replay::PredictOptions StepSpace::read(const StepDescription& description, const std::string& config_file) const {
  std::vector<std::string> words{"ringmark-replay", fmt::format("--ranks={}", run_.base.ranks)};
  const auto add = [&](const std::map<std::string, Value>& flags) {
    for (const auto& [name, value] : flags) {
      if (value) words.push_back(argument_of(name, *value));
    }
  };
  if (!run_.trace.empty()) words.push_back("--trace=" + run_.trace);
  if (!run_.model.empty()) words.push_back("--model=" + run_.model);
  auto config = config_file;
  if (description.ds_config && config.empty()) {
    // Overwritten for each candidate, so it need not be durable.
    config = folder_ + "/candidate.ds_config.json";
    std::ofstream(config) << *description.ds_config;
  }
  if (description.ds_config) words.push_back("--ds-config=" + config);
  if (run_.base.ranks_per_node && !description.flags.contains("ranks-per-node"))
    words.push_back(fmt::format("--ranks-per-node={}", *run_.base.ranks_per_node));
  add(description.flags);
  add(run_.compute);
  add(run_.network);
  if (run_.network.empty()) {
    words.emplace_back("--alpha-us=0");
    words.emplace_back("--bandwidth-GBps=1e6");
  } else if (const auto transport = run_.base.arguments.find("transport");
             transport != run_.base.arguments.end() && transport->second && !run_.network.contains("transport") &&
             !run_.network.contains("fit")) {
    words.push_back("--transport=" + *transport->second);
  }
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  try {
    Flags flags("ringmark-replay", "", "");
    replay::PredictFlags predict(flags);
    auto parsed = flags.read(predict.options, static_cast<int>(argv.size()), argv.data(), [&] { predict.check(); });
    if (!parsed.problems.empty()) refuse(run_, std::move(parsed.problems));
    auto options = std::move(parsed.options);
    if (options.parallel)
      refuse(run_, {{.flag = "step",
                     .text = "tensor, pipeline and expert parallelism are not tuned yet",
                     .remedy = "leave their flags out, or search such steps with ringmark-analyze plan"}});
    return options;
  } catch (const BadUsage& error) {
    refuse(run_, error.problems());
  }
}

void StepSpace::take(const replay::StepSettings& settings, Candidate& candidate) const {
  constexpr int settled = 4;
  const auto& model = options_.step->model;
  const auto of = [&](int micro_steps) {
    auto brief = settings;
    brief.micro_steps = micro_steps;
    return replay::generate_briefly(model, brief);
  };
  candidate.settings = settings;
  candidate.trace = of(std::min(settings.micro_steps, settled));
  candidate.trace.memory = replay::memory_of(model, settings);
  candidate.shorter.reset();
  if (settings.micro_steps > settled) candidate.shorter = of(settled - 1);
}

replay::StepTrace StepSpace::whole_trace(const Candidate& candidate) const {
  return candidate.settings ? replay::generate(options_.step->model, *candidate.settings) : candidate.trace;
}

/// Checks that the described step has the global batch; a step without a gradient accumulation gets the one that yields
/// it.
void StepSpace::settle_batch(StepDescription& description, const replay::StepSettings& settings) const {
  const auto ranks = static_cast<std::uint64_t>(settings.ranks);
  auto micro_steps = static_cast<std::uint64_t>(settings.micro_steps);
  if (run_.global_batch) {
    const auto of_one = settings.micro_batch * ranks;
    const auto& config = description.ds_config;
    const bool is_free = !description.flags.contains("grad-accum") && !(config && config->contains(micro_steps_key)) &&
                         !(config && config->contains("train_batch_size"));
    if (is_free && *run_.global_batch % of_one == 0) micro_steps = *run_.global_batch / of_one;
    if (of_one * micro_steps != *run_.global_batch)
      refuse(run_, {{.flag = "global_batch",
                     .value = std::to_string(*run_.global_batch),
                     .text = fmt::format("the step has micro-batch {} x accumulation {} x {} ranks = {} samples",
                                         settings.micro_batch, micro_steps, ranks, of_one * micro_steps),
                     .remedy = "make them agree, or leave global_batch out"}});
  }
  if (micro_steps != static_cast<std::uint64_t>(settings.micro_steps))
    set_batch(description, settings.micro_batch, micro_steps);
}

/// True if computation times were measured: they are valid only for the micro-batch and recomputation of that
/// measurement.
bool StepSpace::has_fixed_times() const {
  const auto& model = options_.compute.model;
  return model.forward_ms || model.backward_ms || model.table;
}

std::vector<std::string> StepSpace::micro_batches() const {
  const auto listed =
      run_.strategy ? run_.strategy->find(std::string(micro_batch_name)) : decltype(run_.strategy->end()){};
  const bool is_listed = run_.strategy && listed != run_.strategy->end();
  const auto own = std::to_string(own_.trace.micro_batch);
  if (run_.strategy && !is_listed) return {own};
  const auto of_rank = global_batch() / static_cast<std::uint64_t>(own_.trace.ranks);
  const auto key = fmt::format("change.strategy.{}", micro_batch_name);
  std::vector<std::string> values{own};
  const auto add = [&](std::uint64_t batch) {
    if (const auto text = std::to_string(batch); std::find(values.begin(), values.end(), text) == values.end())
      values.push_back(text);
  };
  if (!is_listed) {
    for (std::uint64_t batch = 1; batch <= of_rank && !has_fixed_times(); ++batch) {
      if (of_rank % batch == 0) add(batch);
    }
    return values;
  }
  for (const auto& text : listed->second) {
    std::uint64_t batch = 0;
    if (!read_number(text, std::uint64_t{1}, std::uint64_t{1} << 30U, batch) || of_rank % batch != 0)
      refuse(run_, {{.flag = key,
                     .value = text,
                     .text = fmt::format("the {} samples of a rank cannot be split into such micro-batches", of_rank),
                     .remedy = "give divisors of that number",
                     .place = Place{run_.file, run_.line_of(key)}}});
    if (has_fixed_times() && text != own)
      refuse(run_, {{.flag = key,
                     .value = text,
                     .text = "times that were measured with another micro-batch do not apply to it",
                     .remedy = "give compute: {device: …}, or leave the micro-batch as it is",
                     .place = Place{run_.file, run_.line_of(key)}}});
    add(batch);
  }
  return values;
}

StepSpace::Options StepSpace::knobs_of(Part part) const {
  const auto& changes = part == Part::strategy ? run_.strategy : run_.framework;
  Options options;
  for (const auto& knob : all_knobs()) {
    if (knob.part != part || !has(knob, framework_.kind)) continue;
    auto values = knob.usual;
    if (changes) {
      const auto listed = changes->find(std::string(knob.name));
      values = listed == changes->end() ? std::vector<std::string>() : listed->second;
    } else if (knob.name == "recompute" && has_fixed_times()) {
      values.clear();
    }
    if (!values.empty()) options.emplace_back(&knob, std::move(values));
  }
  if (!changes) return options;
  std::vector<std::string_view> known;
  for (const auto& knob : all_knobs()) {
    if (knob.part == part && has(knob, framework_.kind)) known.push_back(knob.name);
  }
  if (part == Part::strategy) known.push_back(micro_batch_name);
  for (const auto& [name, values] : *changes) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto key = fmt::format("change.{}.{}", sweep::name(part), name);
    refuse(run_, {{.flag = key,
                   .text = fmt::format("{} has no such setting here", framework_.text()),
                   .remedy = fmt::format("choose from {}", fmt::join(known, ", ")),
                   .place = Place{run_.file, run_.line_of(key)}}});
  }
  return options;
}

/// Refuses a setting if none of its listed values can be used; other unusable values are reported with the results.
void StepSpace::check_values(Part part) const {
  const auto knobs = knobs_of(part);
  if (!(part == Part::strategy ? run_.strategy : run_.framework)) return;
  for (const auto& [knob, values] : knobs) {
    std::vector<Problem> refused;
    for (const auto& value : values) {
      try {
        static_cast<void>(changed(own_, {{knob, value}}, std::to_string(own_.trace.micro_batch)));
      } catch (const BadUsage& error) {
        refused.push_back(error.problems().front());
      }
    }
    if (refused.size() < values.size()) continue;
    const auto key = fmt::format("change.{}.{}", name(part), knob->name);
    refuse(run_, {{.flag = key,
                   .value = fmt::format("{}", fmt::join(values, ", ")),
                   .text = refused.front().text,
                   .remedy = refused.front().remedy,
                   .place = Place{run_.file, run_.line_of(key)}}});
  }
}

Candidate StepSpace::changed(const Candidate& base, const std::vector<Choice>& values,
                             const std::string& micro_batch) const {
  Candidate candidate{.name = "", .description = base.description, .trace = {}};
  auto& changes = candidate.description.changes;
  if (micro_batch != std::to_string(base.trace.micro_batch)) {
    const auto batch = std::stoull(micro_batch);
    const auto samples = base.samples() / static_cast<std::uint64_t>(base.trace.ranks);
    set_batch(candidate.description, batch, samples / batch);
    changes[std::string(micro_batch_name)] = micro_batch;
  }
  for (const auto& [knob, value] : values) {
    set(candidate.description, *knob, value);
    changes[std::string(knob->name)] = value;
  }
  take(read(candidate.description, "").step->settings, candidate);
  return candidate;
}

/// Collects candidates, none of them twice.
class StepSpace::Collector {
 public:
  Collector(StepSpace& space, const Candidate& base) : space_(space), base_(base) {
    found_.all.push_back(base);
    known_.insert(identity(base));
  }

  /// Empty if the change is refused, or the same as an earlier one.
  std::optional<Candidate> make(const std::vector<Choice>& values, const std::string& micro_batch) {
    try {
      auto candidate = space_.changed(base_, values, micro_batch);
      if (!known_.contains(identity(candidate))) return candidate;
      ++found_.alike;
    } catch (const BadUsage& error) {
      std::map<std::string, std::string> changes;
      for (const auto& [knob, value] : values) changes[std::string(knob->name)] = value;
      const auto& problem = error.problems().front();
      const auto why = problem.text + (problem.remedy.empty() ? "" : "; " + problem.remedy);
      if (told_.insert(why).second) found_.refused.emplace_back(sweep::in_words(changes), why);
    }
    return std::nullopt;
  }

  void keep(Candidate candidate) {
    known_.insert(identity(candidate));
    candidate.name = fmt::format("{:03}", ++space_.made_);
    found_.all.push_back(std::move(candidate));
  }

  Candidates found() && { return std::move(found_); }

 private:
  using Identity = std::tuple<std::uint64_t, std::uint64_t, double>;
  static Identity identity(const Candidate& candidate) {
    return {replay::fingerprint(candidate.trace), candidate.trace.micro_batch, candidate.memory_bytes()};
  }

  StepSpace& space_;
  const Candidate& base_;
  Candidates found_;
  std::set<Identity> known_;
  std::set<std::string> told_;
};

Candidates StepSpace::candidates(Part part, const Candidate& base) {
  const auto own_batch = std::to_string(base.trace.micro_batch);
  const auto batches = part == Part::strategy ? micro_batches() : std::vector{own_batch};
  Collector collector(*this, base);
  // Drops values that change nothing on their own: the step already has them, or they do not apply to it.
  Options options;
  for (auto& [knob, values] : knobs_of(part)) {
    std::vector<std::string> effective;
    for (const auto& value : values) {
      if (collector.make({{knob, value}}, own_batch)) effective.push_back(value);
    }
    if (!effective.empty()) options.emplace_back(knob, std::move(effective));
  }
  std::size_t combinations = batches.size();
  constexpr std::size_t most = 2000;
  for (const auto& [knob, values] : options) combinations *= values.size() + 1;
  if (combinations > most)
    refuse(run_, {{.flag = fmt::format("change.{}", name(part)),
                   .text = fmt::format("{} combinations exceed the limit of {}", combinations, most),
                   .remedy = "list fewer values",
                   .place = Place{run_.file, run_.line_of(fmt::format("change.{}", name(part)))}}});
  for (std::size_t number = 1; number < combinations; ++number) {
    auto rest = number / batches.size();
    std::vector<Choice> values;
    for (const auto& [knob, list] : options) {
      if (const auto index = rest % (list.size() + 1); index > 0) values.emplace_back(knob, list[index - 1]);
      rest /= list.size() + 1;
    }
    if (auto candidate = collector.make(values, batches[number % batches.size()]))
      collector.keep(*std::move(candidate));
  }
  std::error_code ignored;
  std::filesystem::remove(folder_ + "/candidate.ds_config.json", ignored);
  return std::move(collector).found();
}

}  // namespace ringmark::sweep
