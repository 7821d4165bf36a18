#include "bench/harness/bench_main.hpp"

int main(int argc, char** argv) { return ringmark::bench_main(ringmark::Collective::reduce_scatter, argc, argv); }
