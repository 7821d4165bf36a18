// The errors that end a program, in words that name who and where.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace ringmark {

/// Anything that ends a run after it started. Exit status 3.
class TransportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A rank is gone, unreachable or silent.
class PeerLost final : public TransportError {
 public:
  PeerLost(int rank, const std::string& host, const std::string& reason);

  int rank() const { return rank_; }
  const std::string& reason() const { return reason_; }

 private:
  int rank_;
  std::string reason_;
};

/// A wait passed its deadline.
class TimedOut final : public TransportError {
 public:
  using TransportError::TransportError;
};

/// The requested transport cannot be used on this machine. Exit status 4.
class Unusable final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A request that cannot be carried out. Exit status 2.
class BadUsage final : public std::runtime_error {
 public:
  explicit BadUsage(const std::string& text);
  explicit BadUsage(Problem problem);
  /// There is at least one.
  explicit BadUsage(std::vector<Problem> problems);

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace ringmark
