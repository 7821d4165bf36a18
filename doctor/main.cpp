// ringmark-doctor: finds settings of this node that slow down or break collectives.
#include "base/flags/run_program.hpp"
#include "doctor/doctor_main.hpp"

int main(int argc, char** argv) {
  return ringmark::run_program("ringmark-doctor", [&] { return ringmark::doctor::doctor_main(argc, argv); });
}
