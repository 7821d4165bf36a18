#include "base/flags/run_program.hpp"
#include "sweeps/sweep_main.hpp"

int main(int argc, char** argv) {
  return ringmark::run_program("ringmark-sweep", [&] { return ringmark::sweep::sweep_main(argc, argv); });
}
