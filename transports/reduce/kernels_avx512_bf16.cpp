#define RINGMARK_KERNELS kernels_avx512_bf16
#include "transports/reduce/kernels.inc"
