#include "sweeps/sweep_main.hpp"

int main(int argc, char** argv) { return ringmark::sweep::sweep_main(argc, argv); }
