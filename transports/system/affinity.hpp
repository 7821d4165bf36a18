// Which cores this process runs on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ringmark {

/// "0-3,8" as the kernel lists cores; what does not read so ends the list.
std::vector<int> cores_in(std::string_view list);

/// The cores beside a network interface; nothing where its device tells no NUMA node, as virtual ones.
std::optional<std::vector<int>> cores_near(std::string_view interface);

/// Those of `cores` that this process may use, in ascending order; all that it may use if there are none.
std::vector<int> usable_of(const std::vector<int>& cores);

/// The calling thread. Throws TransportError.
void bind_to(const std::vector<int>& cores);

/// A core to stay on while things are over soon, where moving to another would cost more than waiting for this one.
/// Of the thread that made it.
class Seat {
 public:
  /// The one of `number`, modulo how many this process may use. Throws TransportError if it may not be bound.
  explicit Seat(int number);
  ~Seat() { leave(); }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  void take() { bind(true); }
  /// Any core will do again.
  void leave() { bind(false); }

 private:
  void bind(bool to_own) noexcept;

  std::vector<int> all_, own_;
  bool is_taken_ = false;
};

}  // namespace ringmark
