#include "analysis/analyze_main.hpp"

int main(int argc, char** argv) { return ringmark::analysis::analyze_main(argc, argv); }
