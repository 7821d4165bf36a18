#define RINGMARK_KERNELS kernels_avx2
#include "transports/reduce/kernels.inc"
