#include "base/flags/run_program.hpp"
#include "bench/harness/bench_main.hpp"

int main(int argc, char** argv) {
  using namespace ringmark;
  return run_program("ringmark", [&] { return bench_main(Collective::reduce_scatter, argc, argv); });
}
