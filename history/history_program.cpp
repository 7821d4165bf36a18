#include "base/flags/run_program.hpp"
#include "history/history_main.hpp"

int main(int argc, char** argv) {
  return ringmark::run_program("ringmark-history", [&] { return ringmark::history::history_main(argc, argv); });
}
