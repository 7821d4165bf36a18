// Which cores this process runs on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ringmark {

/// Reads "0-3,8", the kernel's list of cores; any other text ends the list.
std::vector<int> cores_in(std::string_view list);

/// The cores beside a network interface; nothing where its device tells no NUMA node, as virtual ones.
std::optional<std::vector<int>> cores_near(std::string_view interface);

/// The cores that the calling thread may use, ascending. Throws std::system_error, as all below.
std::vector<int> usable_cores();
/// The usable ones among `cores`; empty if there are none.
std::vector<int> usable_of(const std::vector<int>& cores);

/// The calling thread.
void bind_to(const std::vector<int>& cores);

/// Keeps one thread on a core during short work, where a move would cost more than waiting for the core. Only the
/// thread that made it may use it.
class StickyCore {
 public:
  /// The one of `number`, modulo how many this process may use. Throws std::system_error if it may not be bound.
  explicit StickyCore(int number);
  ~StickyCore() { bind(false); }
  StickyCore(const StickyCore&) = delete;
  StickyCore& operator=(const StickyCore&) = delete;

  /// Something short begins. It changes nothing while anything long runs beside it.
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
