// Which cores this process runs on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ringmark {

/// Parses "0-3,8", the kernel's list format; stops at any other text.
std::vector<int> cores_in(std::string_view list);

/// The cores near a network interface; empty if its device reports no NUMA node, as virtual ones do not.
std::optional<std::vector<int>> cores_near(std::string_view interface);

/// The cores that the calling thread may use, ascending. Throws std::system_error, like all functions below.
std::vector<int> usable_cores();
/// The usable ones among `cores`; may be empty.
std::vector<int> usable_of(const std::vector<int>& cores);

/// Binds the calling thread.
void bind_to(const std::vector<int>& cores);

/// Keeps a thread on one core during short work, when migrating would cost more than waiting for the core. Only the
/// thread that created it may use it.
class StickyCore {
 public:
  /// Core `number`, modulo the number of cores this process may use. Throws std::system_error if the thread may not be
  /// bound.
  explicit StickyCore(int number);
  ~StickyCore() { bind(false); }
  StickyCore(const StickyCore&) = delete;
  StickyCore& operator=(const StickyCore&) = delete;

  /// Short work begins. Changes nothing while long work runs at the same time.
  void begin_short() {
    if (long_running_ == 0) bind(true);
  }
  void begin_long() {
    ++long_running_;
    bind(false);
  }
  void end_long() { --long_running_; }

 private:
  void bind(bool to_own) noexcept;

  std::vector<int> all_, own_;
  bool is_taken_ = false;
  int long_running_ = 0;
};

}  // namespace ringmark
