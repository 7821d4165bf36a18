#define RINGMARK_KERNELS kernels_baseline
#include "transports/reduce/kernels.inc"
