#include "sweeps/folder.hpp"

#include <array>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <unistd.h>

#include "base/append_file.hpp"
#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "base/system/files.hpp"
#include "base/write_file.hpp"
#include "results/csv.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto results_name = "results.csv";
constexpr auto samples_name = "samples.jsonl";

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

}  // namespace

std::string sha256_of(const std::string& path) {
  const auto text = read_file(path);
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), hash.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error(fmt::format("OpenSSL cannot compute the SHA-256 of {}", path));
  return fmt::format("{:02x}", fmt::join(hash.begin(), hash.begin() + length, ""));
}

Folder Folder::create(const std::string& path, const JournalHead& head, const std::string& sweep_text) {
  namespace fs = std::filesystem;
  if (fs::exists(path) && (!fs::is_directory(path) || !fs::is_empty(path))) {
    throw BadUsage(fs::exists(path + "/journal")
                       ? fmt::format("{} holds a sweep already: go on with it (ringmark-sweep resume {}), or choose "
                                     "another folder",
                                     path, path)
                       : fmt::format("{} exists and is not an empty folder: choose another", path));
  }
  fs::create_directories(path + "/logs");
  // Open the journal first: its holder owns the folder.
  Folder folder(path, std::make_unique<Journal>(path + "/journal"));
  folder.replace("sweep.yaml", sweep_text);
  auto complete = head;
  complete.sweep_sha256 = sha256_of(folder.file("sweep.yaml"));
  folder.journal_->begin(complete);
  sync_to_disk(path);
  sync_to_disk(fs::absolute(path + "/..").string());
  return folder;
}

Folder Folder::open(const std::string& path) {
  if (!std::filesystem::exists(path + "/journal"))
    throw BadUsage(fmt::format("{} holds no sweep (there is no {}/journal)", path, path));
  Folder folder(path, std::make_unique<Journal>(path + "/journal"));
  if (!folder.journal().head)
    throw BadUsage(fmt::format("{}: the sweep has not begun; remove the folder and run it again", path));
  if (sha256_of(folder.file("sweep.yaml")) != folder.journal().head->sweep_sha256) {
    throw BadUsage(
        fmt::format("{}/sweep.yaml was changed since the sweep was begun: undo that, or run the changed one "
                    "in another folder",
                    path));
  }
  folder.drop_unfinished();
  return folder;
}

std::string Folder::sweep_text() const { return read_file(file("sweep.yaml")); }

void Folder::drop_unfinished() const {
  const auto last = journal().done.empty() ? Done{} : journal().done.back();
  for (const auto& [name, bytes] : {std::pair(results_name, last.results_bytes), {samples_name, last.samples_bytes}}) {
    const auto path = file(name);
    const auto there = bytes_in(path);
    if (there < bytes) {
      throw BadUsage(
          fmt::format("{} has {} bytes where the journal says {}: rows were lost or removed; restore it, or "
                      "start the sweep in another folder",
                      path, there, bytes));
    }
    if (there > bytes)
      check_sys(::truncate(path.c_str(), static_cast<off_t>(bytes)), "remove unfinished rows of {}", path);
  }
}

std::string Folder::launch_file(std::size_t launch, const std::string& ending) const {
  return fmt::format("{}/logs/{:06}.{}", path_, launch, ending);
}

void Folder::remove_launch_tables(std::size_t launch) const {
  for (const auto* ending : {"csv", "samples"}) std::filesystem::remove(launch_file(launch, ending));
}

void Folder::add(const std::vector<Record>& rows, const std::vector<std::string>& columns, Done done) {
  const auto results = file(results_name), samples = file(samples_name);
  const auto before = journal().done.empty() ? Done{} : journal().done.back();
  std::string text;
  if (before.results_bytes == 0) text += write_csv(record_header(columns));
  for (const auto& row : rows) text += write_csv(to_csv(row, columns));
  const auto sampled = read_if_readable(launch_file(done.launch, "samples"));
  try {
    done.results_bytes = append_durably(results, text);
    done.samples_bytes = append_durably(samples, whole_lines(sampled));
    if (journal().done.empty()) sync_to_disk(path_);  // the names of the two files
    journal_->done(done);
  } catch (const std::system_error&) {
    // If even this fails, the next runner does it.
    static_cast<void>(::truncate(results.c_str(), static_cast<off_t>(before.results_bytes)));
    static_cast<void>(::truncate(samples.c_str(), static_cast<off_t>(before.samples_bytes)));
    throw;
  }
  remove_launch_tables(done.launch);
}

void Folder::replace(const std::string& name, const std::string& text) const { write_file(file(name), text); }

void Folder::write_manifest(const nlohmann::json& manifest) const {
  replace("manifest.json", manifest.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

nlohmann::json Folder::read_manifest() const {
  return nlohmann::json::parse(read_if_readable(file("manifest.json")), nullptr, false);
}

}  // namespace ringmark::sweep
