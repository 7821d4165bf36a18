#include "transports/memory/cuda/driver.hpp"

#include <type_traits>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/system/loaded_library.hpp"

#if __has_include(<cuda.h>)
#include <cuda.h>
static_assert(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS == ringmark::cuda::pointer_sync_memops);
static_assert(CUDA_ERROR_OUT_OF_MEMORY == ringmark::cuda::out_of_memory);
static_assert(CUDA_ERROR_NOT_READY == ringmark::cuda::not_ready);
static_assert(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == ringmark::cuda::multiprocessor_count);
static_assert(CU_STREAM_NON_BLOCKING == ringmark::cuda::stream_non_blocking);
static_assert(CU_EVENT_DISABLE_TIMING == ringmark::cuda::event_without_timing);
static_assert(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL == ringmark::cuda::capture_thread_local);
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
  resolve(api.driver_get_version, "cuDriverGetVersion");
  find(api.flush_writes, "cuFlushGPUDirectRDMAWrites");
  find(api.get_handle_for_address_range, "cuMemGetHandleForAddressRange");
  find(api.stream_create, "cuStreamCreate");
  find(api.stream_destroy, "cuStreamDestroy_v2");
  find(api.stream_query, "cuStreamQuery");
  find(api.event_create, "cuEventCreate");
  find(api.event_destroy, "cuEventDestroy_v2");
  find(api.event_record, "cuEventRecord");
  find(api.event_query, "cuEventQuery");
  find(api.event_elapsed_time, "cuEventElapsedTime");
  find(api.stream_begin_capture, "cuStreamBeginCapture_v2");
  find(api.stream_end_capture, "cuStreamEndCapture");
  find(api.graph_instantiate, "cuGraphInstantiateWithFlags");
  find(api.graph_launch, "cuGraphLaunch");
  find(api.graph_exec_destroy, "cuGraphExecDestroy");
  find(api.graph_destroy, "cuGraphDestroy");
  find(api.module_load_data, "cuModuleLoadData");
  find(api.module_unload, "cuModuleUnload");
  find(api.module_get_function, "cuModuleGetFunction");
  find(api.launch_kernel, "cuLaunchKernel");
  if (driver.why_not.empty()) driver.api = &api;
  return driver;
}

}  // namespace

std::string cuda_version_text(const CudaApi& api) {
  int version = 0;
  if (api.driver_get_version(&version) != 0) return "an unknown CUDA version";
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

std::string driver_version_text(const CudaApi& api) {
  auto version = version_in_file_name(loaded_file(library_name));
  const bool is_whole = version.find('.') != std::string::npos;  // the file may be libcuda.so.1 itself
  return is_whole ? version : cuda_version_text(api);
}

std::string why_no_streams(const CudaApi& api) {
  const bool has_all =
      api.stream_create != nullptr && api.stream_destroy != nullptr && api.stream_query != nullptr &&
      api.event_create != nullptr && api.event_destroy != nullptr && api.event_record != nullptr &&
      api.event_query != nullptr && api.event_elapsed_time != nullptr && api.stream_begin_capture != nullptr &&
      api.stream_end_capture != nullptr && api.graph_instantiate != nullptr && api.graph_launch != nullptr &&
      api.graph_exec_destroy != nullptr && api.graph_destroy != nullptr && api.module_load_data != nullptr &&
      api.module_unload != nullptr && api.module_get_function != nullptr && api.launch_kernel != nullptr;
  return has_all ? "" : fmt::format("{} is older than CUDA 12", library_name);
}

const CudaDriver& system_cuda_driver() {
  static const CudaDriver driver = load();
  return driver;
}

}  // namespace ringmark
