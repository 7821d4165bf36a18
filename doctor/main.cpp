// ringmark-doctor: finds settings of this node that slow down or break collectives.
#include "doctor/doctor_main.hpp"

int main(int argc, char** argv) { return ringmark::doctor::doctor_main(argc, argv); }
