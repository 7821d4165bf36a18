#include "transports/memory/cuda/driver.hpp"

#include <type_traits>

#include <dlfcn.h>
#include <fmt/format.h>

#if __has_include(<cuda.h>)
#include <cuda.h>
static_assert(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS == ringmark::cuda::pointer_sync_memops);
static_assert(CUDA_ERROR_OUT_OF_MEMORY == ringmark::cuda::out_of_memory);
static_assert(sizeof(CUdeviceptr) == sizeof(ringmark::cuda::DevicePointer));
static_assert(sizeof(CUdevice) == sizeof(ringmark::cuda::Device));
static_assert(sizeof(CUresult) == sizeof(ringmark::cuda::Result));
#if CUDA_VERSION >= 11030
static_assert(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING == ringmark::cuda::writes_ordering);
static_assert(CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER == ringmark::cuda::writes_ordered_for_owner);
static_assert(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER == ringmark::cuda::writes_ordered_for_owner);
static_assert(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX == ringmark::cuda::flush_current_context);
#endif
#if CUDA_VERSION >= 11070
static_assert(CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD == ringmark::cuda::handle_dma_buf_fd);
#endif
#endif

namespace ringmark {
namespace {

constexpr const char* library_name = "libcuda.so.1";

CudaDriver load() {
  CudaDriver driver;
  void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    driver.why_not = fmt::format("{} cannot be opened ({}): install NVIDIA's driver", library_name, ::dlerror());
    return driver;
  }
  static CudaApi api;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
  const auto resolve = [&](auto& function, const char* name) {
    if (!find(function, name)) driver.why_not = fmt::format("{} has no {}: it is too old", library_name, name);
  };
  resolve(api.init, "cuInit");
  resolve(api.device_get_count, "cuDeviceGetCount");
  resolve(api.device_get, "cuDeviceGet");
  resolve(api.device_get_name, "cuDeviceGetName");
  resolve(api.device_get_pci_bus_id, "cuDeviceGetPCIBusId");
  resolve(api.primary_context_retain, "cuDevicePrimaryCtxRetain");
  resolve(api.primary_context_release, "cuDevicePrimaryCtxRelease_v2");
  resolve(api.context_set_current, "cuCtxSetCurrent");
  resolve(api.context_synchronize, "cuCtxSynchronize");
  resolve(api.mem_alloc, "cuMemAlloc_v2");
  resolve(api.mem_free, "cuMemFree_v2");
  resolve(api.mem_copy, "cuMemcpy");
  resolve(api.mem_set, "cuMemsetD8_v2");
  resolve(api.pointer_set_attribute, "cuPointerSetAttribute");
  resolve(api.get_error_string, "cuGetErrorString");
  resolve(api.device_get_attribute, "cuDeviceGetAttribute");
  find(api.flush_writes, "cuFlushGPUDirectRDMAWrites");
  find(api.get_handle_for_address_range, "cuMemGetHandleForAddressRange");
  if (driver.why_not.empty()) driver.api = &api;
  return driver;
}

}  // namespace

const CudaDriver& system_cuda_driver() {
  static const CudaDriver driver = load();
  return driver;
}

}  // namespace ringmark
