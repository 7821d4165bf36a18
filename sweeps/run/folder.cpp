#include "sweeps/run/folder.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/append_file.hpp"
#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "base/system/digest.hpp"
#include "base/system/files.hpp"
#include "base/write_file.hpp"
#include "results/files/result_file.hpp"
#include "sweeps/run/damage.hpp"

namespace ringmark::sweep {
namespace {

namespace fs = std::filesystem;

constexpr auto results_name = "results.csv";
constexpr auto samples_name = "samples.jsonl";
constexpr auto journal_name = "journal";
constexpr auto sweep_name = "sweep.yaml";
constexpr auto manifest_name = "manifest.json";

std::uint64_t bytes_in(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (!error) return bytes;
  if (error == std::errc::no_such_file_or_directory) return 0;
  throw std::system_error(error, "look at " + path);
}

/// Returns the size of the file afterwards.
std::uint64_t append_durably(const std::string& path, std::string_view text) {
  AppendFile file(path);
  file.append(text);
  file.sync();
  return bytes_in(path);
}

/// True if the path exists. Throws BadUsage if that is unknown: no permission, or too long a name.
bool is_there(const std::string& path) {
  std::error_code error;
  const auto type = fs::status(path, error).type();
  if (type == fs::file_type::none) throw BadUsage(fmt::format("{}: {}", path, error.message()));
  return type != fs::file_type::not_found;
}

/// The names in a folder; none if it does not exist.
std::vector<std::string> names_in(const std::string& path) {
  if (!is_there(path)) return {};
  if (!fs::is_directory(path)) throw BadUsage(fmt::format("{} exists and is not a folder: choose another", path));
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator each(path, error), end; !error && each != end; each.increment(error))
    names.push_back(each->path().filename());
  if (error) throw BadUsage(fmt::format("{}: {}", path, error.message()));
  return names;
}

/// True for a file that a runner may leave if it is killed before the sweep has begun.
bool is_of_a_beginning(const std::string& name) {
  return name == journal_name || name == "logs" || name.starts_with("sweep.yaml");
}

/// Opening a pipe would block forever.
void refuse_odd_files(const std::string& path) {
  for (const auto* name : {journal_name, results_name, samples_name, sweep_name, manifest_name}) {
    const auto file = fmt::format("{}/{}", path, name);
    if (is_there(file) && !fs::is_regular_file(file))
      throw BadUsage(fmt::format("{} is not a regular file, so no sweep wrote it", file));
  }
}

}  // namespace

Folder Folder::create(const std::string& path, const JournalHead& head, const std::string& sweep_text) {
  auto names = names_in(path);
  const auto is_journal = [](const std::string& name) { return name == journal_name; };
  if (!names.empty() && std::none_of(names.begin(), names.end(), is_journal))
    throw BadUsage(fmt::format("{} exists and is not an empty folder: choose another", path));
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw BadUsage(fmt::format("{} cannot be created: {}", path, error.message()));
  refuse_odd_files(path);
  // Open the journal first: its holder owns the folder.
  Folder folder(path, std::make_unique<Journal>(path + "/" + journal_name));
  // Another runner may have begun, or even ended, before the journal was free.
  if (folder.journal().head)
    throw BadUsage(fmt::format(
        "{0} already contains a sweep: continue it (ringmark-sweep resume {0}), or choose another folder", path));
  names = names_in(path);
  if (const auto other = std::find_if_not(names.begin(), names.end(), is_of_a_beginning); other != names.end())
    throw BadUsage(
        fmt::format("{0} contains {1} and an empty journal: choose another folder, or move {1} away", path, *other));
  fs::create_directories(path + "/logs");
  folder.replace(sweep_name, sweep_text);
  auto complete = head;
  complete.sweep_sha256 = sha256_of(folder.file(sweep_name));
  folder.journal_->begin(complete);
  sync_to_disk(path);
  sync_to_disk(fs::absolute(path + "/..").string());
  return folder;
}

Folder Folder::open(const std::string& path) {
  if (!is_there(fmt::format("{}/{}", path, journal_name)))
    throw BadUsage(fmt::format("{} contains no sweep ({}/journal does not exist)", path, path));
  refuse_odd_files(path);
  Folder folder(path, std::make_unique<Journal>(path + "/" + journal_name));
  if (!folder.journal().head) {
    const auto rows = bytes_in(folder.file(results_name));
    throw BadUsage(rows > 0
                       ? fmt::format("{0}/journal is empty, though {0}/{1} has rows: the journal was lost, so the "
                                     "sweep cannot continue. The rows are kept: restore the journal from a copy, or "
                                     "run the sweep in another folder (ringmark-analyze reads {0}/{1})",
                                     path, results_name)
                       : fmt::format("{0}: the sweep has not begun; begin it with: ringmark-sweep run SWEEP.yaml "
                                     "-o {0}",
                                     path));
  }
  if (sha256_of(folder.file(sweep_name)) != folder.journal().head->sweep_sha256) {
    throw BadUsage(fmt::format(
        "{}/sweep.yaml has changed since the sweep was begun: undo that, or run the changed sweep in another folder",
        path));
  }
  folder.notice_lost_samples();
  refuse_damage(folder.file(results_name), folder.file(samples_name), folder.journal());
  folder.drop_unfinished();
  return folder;
}

std::string Folder::sweep_text() const { return read_file(file(sweep_name)); }

void Folder::notice_lost_samples() {
  const auto path = file(samples_name);
  const auto there = bytes_in(path), wanted = journal().samples_bytes();
  if (there >= wanted) return;
  const bool is_missing = !is_there(path);
  // The next samples begin on a line of their own.
  if (there > 0) static_cast<void>(AppendFile(path).begin(""));
  journal_->lost({journal().done.size(), bytes_in(path)});
  notes_.push_back(is_missing
                       ? fmt::format("{} is missing: the samples of {} launches are lost, their rows are not", path,
                                     journal().done.size())
                       : fmt::format("{} has {} bytes, but the journal records {}: samples of earlier launches are "
                                     "lost, their rows are not",
                                     path, there, wanted));
}

void Folder::drop_unfinished() const {
  for (const auto& [name, bytes] :
       {std::pair(results_name, journal().results_bytes()), {samples_name, journal().samples_bytes()}}) {
    const auto path = file(name);
    if (bytes_in(path) > bytes)
      check_sys(::truncate(path.c_str(), static_cast<off_t>(bytes)), "remove unfinished rows of {}", path);
  }
}

std::string Folder::launch_file(std::size_t launch, const std::string& ending) const {
  return fmt::format("{}/logs/{:06}.{}", path_, launch, ending);
}

void Folder::remove_launch_tables(std::size_t launch) const {
  for (const auto* ending : {"csv", "csv.failures", "samples"}) std::filesystem::remove(launch_file(launch, ending));
}

void Folder::add(const std::vector<Record>& rows, const std::vector<std::string>& columns, Done done) {
  const auto results = file(results_name), samples = file(samples_name);
  const auto results_before = journal().results_bytes(), samples_before = journal().samples_bytes();
  std::string text;
  if (results_before == 0) text += write_csv(record_header(columns));
  for (const auto& row : rows) text += write_csv(to_csv(row, columns));
  const auto sampled = read_if_readable(launch_file(done.launch, "samples"));
  try {
    done.results_bytes = append_durably(results, text);
    done.samples_bytes = append_durably(samples, whole_lines(sampled));
    done.results_sha256 = sha256(text);
    done.samples_sha256 = sha256(whole_lines(sampled));
    if (journal().done.empty()) sync_to_disk(path_);  // the names of the two files
    journal_->done(done);
  } catch (const std::system_error&) {
    // If even this fails, the next runner truncates them.
    static_cast<void>(::truncate(results.c_str(), static_cast<off_t>(results_before)) == 0);
    static_cast<void>(::truncate(samples.c_str(), static_cast<off_t>(samples_before)) == 0);
    throw;
  }
  remove_launch_tables(done.launch);
}

void Folder::replace(const std::string& name, const std::string& text) const { write_file(file(name), text); }

void Folder::write_manifest(const nlohmann::json& manifest) const {
  replace(manifest_name, manifest.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

nlohmann::json Folder::read_manifest() {
  const auto path = file(manifest_name);
  if (!is_there(path)) return nlohmann::json();
  auto manifest = nlohmann::json::parse(read_file(path), nullptr, false);
  const auto sittings = manifest.is_object() ? manifest.find("sittings") : manifest.end();
  if (manifest.is_object() && sittings != manifest.end() && sittings->is_array() &&
      std::all_of(sittings->begin(), sittings->end(), [](const auto& each) { return each.is_object(); }))
    return manifest;
  const auto aside = path + ".damaged";
  fs::rename(path, aside);
  notes_.push_back(fmt::format("{} was damaged: it is kept as {}, and a new one is started", path, aside));
  return nlohmann::json();
}

}  // namespace ringmark::sweep
