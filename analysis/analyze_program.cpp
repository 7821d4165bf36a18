#include "analysis/analyze_main.hpp"
#include "base/flags/run_program.hpp"

int main(int argc, char** argv) {
  return ringmark::run_program("ringmark-analyze", [&] { return ringmark::analysis::analyze_main(argc, argv); });
}
