// Ranks that are killed at random moments, from their fork to their exit. RINGMARK_KILLS sets how many: a short trial
// by default, 1000 for a long one.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <poll.h>

#include "tests/programs/shell.hpp"

namespace ringmark {
namespace {

using namespace testing_support;
using Moment = std::chrono::steady_clock::time_point;

constexpr int ranks = 4;
constexpr auto patience = std::chrono::seconds(5);

/// The program with its ranks on this host.
class LocalRun {
 public:
  explicit LocalRun(const std::vector<std::string>& words) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    output_ = ends[0];
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], 1);
      ::dup2(ends[1], 2);
      ::close(ends[0]);
      ::close(ends[1]);
      std::vector<char*> arguments;
      for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
  }
  ~LocalRun() { ::close(output_); }
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;

  /// The processes of the ranks that were started so far, in the order of the ranks.
  const std::vector<pid_t>& children() {
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", pid_));
    for (pid_t child = 0; file >> child;)
      if (std::find(children_.begin(), children_.end(), child) == children_.end()) children_.push_back(child);
    return children_;
  }

  /// All output until the end; nothing more is read after `until`, and the program is killed.
  std::string read_until(Moment until) {
    std::string text;
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
      pollfd readable{output_, POLLIN, 0};
      std::array<char, 4096> part;
      if (left <= 0 || ::poll(&readable, 1, static_cast<int>(left)) <= 0) break;
      const auto bytes = ::read(output_, part.data(), part.size());
      if (bytes <= 0) return text;
      text.append(part.data(), static_cast<std::size_t>(bytes));
    }
    ::kill(pid_, SIGKILL);
    return text + "(still running)\n";
  }
  int status() const {
    int raw = 0;
    ::waitpid(pid_, &raw, 0);
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  }

 private:
  pid_t pid_ = 0;
  int output_ = -1;
  std::vector<pid_t> children_;
};

struct Kill {
  std::size_t victim = 0;
  bool hit = false;
  int status = 0;
  std::string output;
  std::chrono::duration<double> to_the_end{};
};

Kill kill_one(std::mt19937& random, bool is_short) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const double last_ms = is_short ? 150 : 3000;
  const auto kill_after = Milliseconds(std::uniform_real_distribution<double>(0, last_ms)(random));
  std::vector<std::string> words{bin + "/ringmark-all-reduce", "--ranks", std::to_string(ranks), "--timeout", "1000"};
  const std::vector<std::string> sizes = is_short
                                             ? std::vector<std::string>{"--sizes", "8", "-n", "1", "--in-place", "no"}
                                             : std::vector<std::string>{"--sizes", "8,64K,1M", "-n", "1000000"};
  words.insert(words.end(), sizes.begin(), sizes.end());

  const auto start = std::chrono::steady_clock::now();
  LocalRun run(words);
  while (std::chrono::steady_clock::now() < start + kill_after) {
    if (run.children().size() == ranks) {
      std::this_thread::sleep_until(start + kill_after);
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  while (run.children().empty()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  const auto& children = run.children();
  Kill kill;
  kill.victim = random() % children.size();
  kill.hit = ::kill(children[kill.victim], SIGKILL) == 0;
  const auto killed = std::chrono::steady_clock::now();
  kill.output = run.read_until(killed + patience);
  kill.to_the_end = std::chrono::steady_clock::now() - killed;
  kill.status = run.status();
  return kill;
}

/// The reason why the loss was not named right; empty if it was. A rank that had nothing left to wait for ends in good
/// order: only the parent sees that another one was killed after that.
std::string why_not_named(const Kill& kill, bool may_end_in_good_order) {
  const auto lost = fmt::format("lost rank {} on ", kill.victim);
  if (has(kill.output, "(still running)")) return "a rank still runs";
  if (kill.status != 3) return fmt::format("exit status {}", kill.status);
  if (!has(kill.output, "ringmark: " + lost) || !has(kill.output, ": killed by signal 9")) return "not by the parent";
  for (std::size_t at = kill.output.find("lost rank "); at != std::string::npos;
       at = kill.output.find("lost rank ", at + 1))
    if (kill.output.compare(at, lost.size(), lost) != 0) return "another rank was named";
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (rank == kill.victim) continue;
    const auto speaks = kill.output.find(fmt::format("ringmark: rank {} on ", rank));
    if (speaks == std::string::npos) {
      if (may_end_in_good_order) continue;
      return fmt::format("not by rank {}", rank);
    }
    if (!has(kill.output.substr(speaks, kill.output.find('\n', speaks) - speaks), lost))
      return fmt::format("rank {} says something else", rank);
  }
  return "";
}

TEST(Kills, of_a_rank_at_any_moment_are_named_by_all_others_and_by_the_parent) {
  const char* wanted = std::getenv("RINGMARK_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 30;
  const char* seed = std::getenv("RINGMARK_KILLS_SEED");
  std::mt19937 random(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : std::random_device()());
  std::vector<double> times;
  int attempts = 0, named = 0;
  for (; named < kills && attempts < 4 * kills; ++attempts) {
    const bool is_short = attempts % 2 == 1;
    const auto kill = kill_one(random, is_short);
    if (!kill.hit || (kill.status == 0 && is_short)) continue;  // it had ended before
    const auto problem = why_not_named(kill, is_short);
    EXPECT_EQ(problem, "") << "rank " << kill.victim << " was killed\n" << kill.output;
    times.push_back(kill.to_the_end.count());
    ++named;
  }
  EXPECT_EQ(named, kills);
  std::sort(times.begin(), times.end());
  if (!times.empty())
    fmt::print("{} kills in {} runs; until all had ended: median {:.3f} s, at most {:.3f} s\n", named, attempts,
               times[times.size() / 2], times.back());
}

}  // namespace
}  // namespace ringmark
