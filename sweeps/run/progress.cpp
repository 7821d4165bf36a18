#include "sweeps/run/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text/printable.hpp"
#include "base/units.hpp"

namespace ringmark::sweep {
namespace {

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Summarises the rows: the first and the last, or the failure.
std::string in_short(const Done& done, const std::vector<Record>& rows) {
  if (done.status != Status::ok) {
    for (const auto& row : rows) {
      if (row.status == done.status) return fmt::format("{}: {}", name(row.status), row.detail);
    }
    return std::string(name(done.status));
  }
  const auto show = [](const Record& row) {
    return fmt::format("{} {:.1f} us", format_size(row.size_bytes), row.time_us_p50.value_or(0));
  };
  if (rows.size() == 1) return show(rows.front());
  return fmt::format("{} .. {}", show(rows.front()), show(rows.back()));
}

constexpr auto clear_line = "\r\033[K";

void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

void tell(const std::string& text) { put(without_controls(text)); }

std::string format_seconds(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

Progress::Progress(std::optional<std::size_t> total, const std::vector<Done>& done)
    : total_(total),
      done_(done.size()),
      failed_(static_cast<std::size_t>(std::count_if(done.begin(), done.end(), has_failed))),
      is_terminal_(::isatty(STDERR_FILENO) == 1) {
  for (const auto& each : done) count_time(each.seconds);
}

Progress::~Progress() {
  if (is_terminal_) put(clear_line);
}

void Progress::count_time(double seconds) {
  if (seconds <= 0) return;
  seconds_ += seconds;
  ++timed_;
}

std::string Progress::time_left() const {
  if (timed_ == 0 || !total_) return "";
  const double left = seconds_ / static_cast<double>(timed_) * static_cast<double>(*total_ - done_);
  return fmt::format(", {} left", format_seconds(left));
}

/// "3/12, 2 min 05 s left, 1 failed".
std::string Progress::counted() const {
  return fmt::format("{}{}{}{}", done_, total_ ? fmt::format("/{}", *total_) : "", time_left(),
                     failed_ > 0 ? fmt::format(", {} failed", failed_) : "");
}

void Progress::started(const std::string& setting, int repetition) {
  started_ = Clock::now();
  setting_ = fmt::format("{} (repetition {})", setting, repetition);
  if (is_terminal_) {
    show_line(fmt::format("[{}] {}{}", counted(), setting_, last_.empty() ? "" : "; last: " + last_));
  }
}

void Progress::finished(const Done& done, const std::vector<Record>& rows) {
  ++done_;
  // A launch costs the time until the next one can start, which is more than the launcher takes.
  if (done.seconds > 0) count_time(std::chrono::duration<double>(Clock::now() - started_).count());
  last_ = in_short(done, rows);
  const bool failed = has_failed(done);
  failed_ += failed;
  if (is_terminal_ && !failed) return;
  note(fmt::format("[{}] {} in {:.1f} s: {}", counted(), setting_, done.seconds, last_));
}

void Progress::note(const std::string& text) {
  put(fmt::format("{}{}\n", is_terminal_ ? clear_line : "", without_controls(text)));
}

void Progress::show_line(const std::string& text) {
  put(clear_line + without_controls(text).substr(0, terminal_width() - 1));
}

}  // namespace ringmark::sweep
