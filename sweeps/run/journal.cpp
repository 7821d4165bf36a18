#include "sweeps/run/journal.hpp"

#include <limits>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append_file.hpp"
#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/system/files.hpp"
#include "base/text/error_text.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto schema = "sweep-journal/1";

std::string to_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

JournalHead head_of(const nlohmann::json& json) {
  if (json.at("schema") != schema) throw std::runtime_error(fmt::format("is not a {}", schema));
  return {json.at("run_id"),
          json.at("command"),
          json.at("sweep_path"),
          json.at("sweep_sha256"),
          json.value("overrides", Overrides()),
          json.value("machines", Machines())};
}

Done done_of(const nlohmann::json& json) {
  Done done;
  json.at("launch").get_to(done.launch);
  json.at("point").get_to(done.point);
  json.at("repetition").get_to(done.repetition);
  const auto status = json.at("status").get<std::string>();
  if (const auto known = parse_status(status)) {
    done.status = *known;
  } else {
    throw std::runtime_error(fmt::format("'{}' is not a status", status));
  }
  json.at("failure").get_to(done.failure);
  json.at("seconds").get_to(done.seconds);
  if (!json.at("score").is_null()) done.score = json.at("score").get<double>();
  json.at("verification").get_to(done.is_verification);
  json.at("results_bytes").get_to(done.results_bytes);
  json.at("samples_bytes").get_to(done.samples_bytes);
  done.results_sha256 = json.value("results_sha256", "");
  done.samples_sha256 = json.value("samples_sha256", "");
  return done;
}

}  // namespace

std::string run_id_of_launch(const JournalHead& head, std::size_t launch) {
  return fmt::format("{}.{}", head.run_id, launch);
}

std::optional<std::size_t> launch_of(const JournalHead& head, std::string_view run_id) {
  const auto run = head.run_id + ".";
  std::size_t launch = 0;
  const bool is_ours =
      run_id.starts_with(run) &&
      read_number<std::size_t>(run_id.substr(run.size()), 1, std::numeric_limits<std::size_t>::max(), launch);
  return is_ours ? std::optional(launch) : std::nullopt;
}

bool has_failed(const Done& done) { return is_failure(done.status); }
bool is_given_up(const Done& done) { return has_failed(done) && done.failure.empty(); }

std::uint64_t JournalContent::samples_bytes() const {
  if (loss && loss->launches >= done.size()) return loss->kept_bytes;
  return done.empty() ? 0 : done.back().samples_bytes;
}

JournalContent parse_journal(std::string_view text, const std::string& name) {
  JournalContent content;
  std::size_t line = 1;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1, ++line) {
    try {
      const auto json = nlohmann::json::parse(text.substr(at, end - at));
      if (!content.head) {
        content.head = head_of(json);
        continue;
      }
      if (const auto kept = json.find("samples_kept_bytes"); kept != json.end()) {
        content.loss = {content.done.size(), kept->get<std::uint64_t>()};
        continue;
      }
      const auto done = done_of(json);
      if (done.results_bytes < content.results_bytes() || done.samples_bytes < content.samples_bytes())
        throw std::runtime_error("the results have become shorter");
      content.done.push_back(done);
    } catch (const std::exception& error) {
      throw JournalDamaged(
          fmt::format("{}:{}: {}; the journal was changed by hand or the disk is damaged: start the "
                      "sweep in another folder",
                      name, line, text_of(error)));
    }
  }
  return content;
}

void Journal::pause_shortly() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

Journal::Journal(const std::string& path, const std::function<void()>& pause)
    : path_(path),
      file_(check_sys(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666), "open {}", path)) {
  struct stat status {};
  check_sys(::fstat(file_.get(), &status), "look at {}", path);
  if (!S_ISREG(status.st_mode))
    throw BadUsage(fmt::format("{} is not a regular file, so it cannot be a journal", path));
  // A runner that was killed while it started a launch leaves a child that holds the lock until it execs.
  const auto patience = Deadline::after(std::chrono::seconds(2));
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw_errno("lock " + path);
    if (!patience.passed()) {
      pause();
      continue;
    }
    throw BadUsage(fmt::format("{}: another runner is using this folder; wait for it, or choose another folder", path));
  }
  const auto text = read_open_file(file_.get(), path);
  content_ = parse_journal(text, path);
  const auto whole = whole_lines(text).size();
  if (whole < text.size())
    check_sys(::ftruncate(file_.get(), static_cast<off_t>(whole)), "remove the unfinished line of {}", path);
}

void Journal::begin(const JournalHead& head) {
  append(to_line({{"schema", schema},
                  {"run_id", head.run_id},
                  {"command", head.command},
                  {"sweep_path", head.sweep_path},
                  {"sweep_sha256", head.sweep_sha256},
                  {"overrides", head.overrides},
                  {"machines", head.machines}}));
  content_.head = head;
}

void Journal::done(const Done& done) {
  append(to_line({{"launch", done.launch},
                  {"point", done.point},
                  {"repetition", done.repetition},
                  {"status", name(done.status)},
                  {"failure", done.failure},
                  {"seconds", done.seconds},
                  {"score", done.score ? nlohmann::json(*done.score) : nlohmann::json()},
                  {"verification", done.is_verification},
                  {"results_bytes", done.results_bytes},
                  {"samples_bytes", done.samples_bytes},
                  {"results_sha256", done.results_sha256},
                  {"samples_sha256", done.samples_sha256}}));
  content_.done.push_back(done);
}

void Journal::lost(const SamplesLoss& loss) {
  append(to_line({{"samples_kept_bytes", loss.kept_bytes}}));
  content_.loss = loss;
}

void Journal::append(const std::string& line) {
  struct stat before {};
  check_sys(::fstat(file_.get(), &before), "look at {}", path_);
  const auto written = retry_interrupted([&] { return ::write(file_.get(), line.data(), line.size()); });
  if (written == static_cast<ssize_t>(line.size()) && ::fsync(file_.get()) == 0) return;
  const int error = written >= 0 && written < static_cast<ssize_t>(line.size()) ? ENOSPC : errno;
  static_cast<void>(::ftruncate(file_.get(), before.st_size) == 0);
  throw_errno("write " + path_, error);
}

void sync_to_disk(const std::string& path) {
  const FileDescriptor file(check_sys(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "open {}", path));
  check_sys(::fsync(file.get()), "write {} to the disk", path);
}

}  // namespace ringmark::sweep
