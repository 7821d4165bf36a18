#include "results/files/failure.hpp"

#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/system/file_descriptor.hpp"
#include "base/system/host.hpp"
#include "base/text/error_text.hpp"

namespace ringmark {
namespace {

constexpr auto schema = "failure/1";

/// True if the last line of a regular file has no line end. Others, such as pipes, are not opened.
bool ends_within_line(const char* path) {
  struct stat status {};
  if (::stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  const FileDescriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  char last = '\n';
  return file && ::pread(file.get(), &last, 1, status.st_size - 1) == 1 && last != '\n';
}

}  // namespace

Failure failure_of(const std::exception& error, int rank, int exit_status) {
  Failure failure{rank, host_name(), exit_status, text_of(error)};
  if (const auto* lost = dynamic_cast<const PeerLost*>(&error)) failure.lost = lost->lost();
  return failure;
}

std::string in_words(const Failure& failure) {
  if (failure.lost && failure.lost->rank == failure.rank)
    return failure.text;  // the launching process reports its rank
  return fmt::format("rank {} on {}: {}", failure.rank, failure.host, failure.text);
}

void append_failure(const std::string& path, const Failure& failure) noexcept {
  if (path.empty()) return;
  try {
    nlohmann::json line{{"schema", schema},
                        {"rank", failure.rank},
                        {"host", failure.host},
                        {"exit_status", failure.exit_status},
                        {"text", failure.text}};
    if (failure.lost)
      line["lost"] = {{"rank", failure.lost->rank}, {"host", failure.lost->host}, {"reason", failure.lost->reason}};
    const auto text = (ends_within_line(path.c_str()) ? "\n" : "") +
                      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (file) static_cast<void>(::write(file.get(), text.data(), text.size()) < 0);
  } catch (...) {  // NOLINT(bugprone-empty-catch): standard error has the failure too
  }
}

std::vector<Failure> read_failures(std::string_view text) {
  std::vector<Failure> failures;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    try {
      Failure failure{json.at("rank"), json.at("host"), json.at("exit_status"), json.at("text")};
      if (const auto lost = json.find("lost"); lost != json.end())
        failure.lost = LostRank{lost->at("rank"), lost->at("host"), lost->at("reason")};
      failures.push_back(std::move(failure));
    } catch (
        const nlohmann::json::exception&) {  // NOLINT(bugprone-empty-catch): a writer died, or two of them interleaved
    }
  }
  return failures;
}

}  // namespace ringmark
