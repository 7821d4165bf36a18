// The errors that end a program, with messages that name the rank and host.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/lost_rank.hpp"
#include "base/problem.hpp"

namespace ringmark {

/// Anything that ends a run after it started. Exit status 3.
class TransportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The run cannot continue, and all reachable ranks were told why.
class RunLost : public TransportError {
 public:
  using TransportError::TransportError;
};

/// No data passes between two hosts.
class LinkLost final : public RunLost {
 public:
  LinkLost(const std::string& host, const std::string& other_host, const std::string& reason);
};

/// A rank has exited, is unreachable or does not answer.
class PeerLost final : public RunLost {
 public:
  PeerLost(int rank, const std::string& host, const std::string& reason);

  const LostRank& lost() const { return lost_; }
  int rank() const { return lost_.rank; }
  const std::string& reason() const { return lost_.reason; }

 private:
  LostRank lost_;
};

/// A wait passed its deadline.
class TimedOut final : public TransportError {
 public:
  /// `is_told`: all ranks already know which rank it waited for.
  explicit TimedOut(const std::string& text, bool is_told = false) : TransportError(text), is_told_(is_told) {}

  bool is_told() const { return is_told_; }

 private:
  bool is_told_;
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
  /// Needs at least one problem.
  explicit BadUsage(std::vector<Problem> problems);

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace ringmark
