#define RINGMARK_KERNELS kernels_avx512
#include "transports/reduce/kernels.inc"
