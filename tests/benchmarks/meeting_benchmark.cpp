// How long ranks take to meet without MPI, on this machine: meeting-benchmark [RANKS...]. The processes are there
// before the clock starts.
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "transports/bootstrap/rendezvous_bootstrap.hpp"

namespace ringmark {
namespace {

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::uint16_t free_port() {
  const FileDescriptor fd(check_sys(::socket(AF_INET, SOCK_STREAM, 0), "make a socket"));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  check_sys(::bind(fd.get(), generic, length), "find a free port");
  check_sys(::getsockname(fd.get(), generic, &length), "find a free port");
  return ntohs(address.sin_port);
}

/// Waits until the parent closes the other end.
void wait_for_start(int fd) {
  char byte = 0;
  while (::read(fd, &byte, 1) < 0 && errno == EINTR) continue;
}

int run_rank(int rank, int ranks, std::uint16_t port) {
  const auto begin = Clock::now();
  RendezvousBootstrap bootstrap({"rendezvous", "benchmark", "127.0.0.1", port, 1, "", rank, ranks}, "a secret",
                                std::chrono::minutes(2));
  bootstrap.barrier();
  const double met_s = seconds_since(begin);
  constexpr int exchanges = 10;
  const auto alike_begin = Clock::now();
  for (int i = 0; i < exchanges; ++i) bootstrap.all_gather(std::string(200, 'a'));
  const double alike_s = seconds_since(alike_begin) / exchanges;
  const auto own_begin = Clock::now();
  for (int i = 0; i < exchanges; ++i) bootstrap.all_gather(fmt::format("{:060}", rank));
  const double own_s = seconds_since(own_begin) / exchanges;
  if (rank == 0) fmt::print("{:6} {:12.3f} {:22.1f} {:22.1f}\n", ranks, met_s, 1e3 * alike_s, 1e3 * own_s);
  std::fflush(stdout);
  bootstrap.finish(0);
  return 0;
}

void meet(int ranks) {
  const auto port = free_port();
  int start[2];
  check_sys(::pipe(start), "make a pipe");
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto child = ::fork();
    check_sys(child, "fork");
    if (child > 0) {
      children.push_back(child);
      continue;
    }
    ::close(start[1]);
    wait_for_start(start[0]);
    int status = 3;
    try {
      status = run_rank(rank, ranks, port);
    } catch (const std::exception& error) {
      fmt::print(stderr, "rank {}: {}\n", rank, error.what());
    }
    ::_exit(status);
  }
  ::close(start[0]);
  ::close(start[1]);
  for (const auto child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) fmt::print(stderr, "a rank failed\n");
  }
}

}  // namespace
}  // namespace ringmark

int main(int argc, char** argv) {
  fmt::print("{:>6} {:>12} {:>22} {:>22}\n", "ranks", "met after s", "exchange of alike ms", "of own values ms");
  std::fflush(stdout);
  std::vector<int> numbers;
  for (int i = 1; i < argc; ++i) numbers.push_back(std::atoi(argv[i]));
  if (numbers.empty()) numbers = {64, 512};
  for (const int ranks : numbers) ringmark::meet(ranks);
}
