#include "base/flags/run_program.hpp"
#include "bench/link/link_main.hpp"

int main(int argc, char** argv) {
  return ringmark::run_program("ringmark", [&] { return ringmark::link_main(argc, argv); });
}
