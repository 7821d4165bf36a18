#include "base/flags/run_program.hpp"
#include "bench/mix/mix_main.hpp"

int main(int argc, char** argv) {
  using namespace ringmark;
  return run_program("ringmark", [&] { return mix::mix_main(argc, argv); });
}
