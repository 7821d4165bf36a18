// ringmark-doctor: what this node has, and what will hurt.
#include "doctor/doctor_main.hpp"

int main(int argc, char** argv) { return ringmark::doctor::doctor_main(argc, argv); }
