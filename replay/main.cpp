#include "replay/replay_main.hpp"

int main(int argc, char** argv) { return ringmark::replay::replay_main(argc, argv); }
