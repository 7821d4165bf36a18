#include "bench/link/link_main.hpp"

int main(int argc, char** argv) { return ringmark::link_main(argc, argv); }
