#include "sweeps/training/tune_run.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/input/input.hpp"
#include "base/system/files.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"
#include "sweeps/run/progress.hpp"
#include "sweeps/training/live_chain.hpp"
#include "sweeps/training/predicted_chain.hpp"

namespace ringmark::sweep {
namespace {

namespace fs = std::filesystem;

constexpr auto head_schema = "tune-run-head/1";

std::string head_file(const std::string& folder) { return folder + "/tune-run.json"; }

/// What the folder was begun with.
struct Head {
  std::string file, text;
  Overrides overrides;
  bool is_predicted = false;

  bool operator==(const Head&) const = default;
};

nlohmann::ordered_json to_json(const Head& head) {
  return {{"schema", head_schema},
          {"file", head.file},
          {"text", head.text},
          {"overrides", nlohmann::json(head.overrides)},
          {"is_predicted", head.is_predicted}};
}

Head read_head(const std::string& folder) {
  const auto file = head_file(folder);
  try {
    const auto json = nlohmann::json::parse(whole_file(file, file, most_sweep_bytes));
    if (json.at("schema") != head_schema) throw std::runtime_error("it has another schema");
    return {json.at("file"), json.at("text"), json.at("overrides").get<Overrides>(), json.at("is_predicted")};
  } catch (const std::exception& error) {
    throw BadUsage(fmt::format("{} is damaged: {}; choose another folder", file, error.what()));
  }
}

/// Creates the folder, or checks that the same run was begun in it.
void begin_folder(const std::string& folder, const Head& head) {
  std::error_code error;
  if (is_tuned_run(folder)) {
    if (!(read_head(folder) == head))
      throw BadUsage(
          fmt::format("{} contains another run: continue that one (ringmark-sweep resume {}), or choose another folder",
                      folder, folder));
    return;
  }
  // A run that was killed before it began leaves only steps.
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    const auto name = each->path().filename().string();
    if (name != "steps" && !name.starts_with("tune-run.json"))
      throw BadUsage(fmt::format("{} exists and is not an empty folder: choose another", folder));
  }
  fs::create_directories(folder, error);
  if (error) throw BadUsage(fmt::format("{} cannot be created: {}", folder, error.message()));
}

int tune(const Head& head, const std::string& folder, const Overrides& overrides) {
  const auto run = read_training_run(head.text, head.file, overrides);
  begin_folder(folder, head);
  try {
    StepSpace space(run, folder + "/steps");
    TunedRun tuned;
    if (head.is_predicted) {
      tuned = predicted_chain(run, space);
      write_file(head_file(folder), to_json(head).dump(2) + "\n");
    } else {
      LiveChain chain(run, space, folder);
      write_file(head_file(folder), to_json(head).dump(2) + "\n");
      tell(chain.plan());
      tuned = chain.go();
    }
    write_files(tuned, folder);
    say("\n{0}ready to use: {1}/best/   page: {1}/tuned.html   JSON: {1}/tuned.json\n", in_words(tuned), folder);
  } catch (const BadUsage&) {
    // Nothing has begun: clean up so that the folder can be used again.
    if (!is_tuned_run(folder)) fs::remove_all(folder + "/steps");
    throw;
  }
  return exit_ok;
}

}  // namespace

bool is_tuned_run(const std::string& folder) {
  std::error_code unknown;
  return fs::is_regular_file(head_file(folder), unknown);
}

int tune_run(const std::string& file, const std::string& folder, const Overrides& overrides, bool is_predicted) {
  return tune({fs::absolute(file).string(), whole_file(file, file, most_sweep_bytes), overrides, is_predicted}, folder,
              overrides);
}

int resume_tuned_run(const std::string& folder, const Overrides& here) {
  const auto head = read_head(folder);
  auto overrides = head.overrides;
  if (!here.hosts.empty()) overrides.hosts = here.hosts;
  if (here.allocation) overrides.allocation = here.allocation;
  return tune(head, folder, overrides);
}

}  // namespace ringmark::sweep
