#include "base/flags/run_program.hpp"
#include "replay/replay_main.hpp"

int main(int argc, char** argv) {
  return ringmark::run_program("ringmark-replay", [&] { return ringmark::replay::replay_main(argc, argv); });
}
