#include "accept/accept_main.hpp"
#include "base/flags/run_program.hpp"

int main(int argc, char** argv) {
  return ringmark::run_program("ringmark-accept", [&] { return ringmark::accept::accept_main(argc, argv); });
}
