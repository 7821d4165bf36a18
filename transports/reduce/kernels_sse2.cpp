#define RINGMARK_KERNELS kernels_sse2
#include "transports/reduce/kernels.inc"
