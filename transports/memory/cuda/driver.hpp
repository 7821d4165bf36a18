// The functions of NVIDIA's driver library (libcuda.so.1), loaded at run time so that one binary runs with and without
// it. Types and values are copied from cuda.h, and compared with it if it is installed. Tests fill the table with
// fakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace ringmark {

namespace cuda {
using Result = int;  ///< 0 is success
using Device = int;  ///< a handle, not the GPU's number
using Context = void*;
using DevicePointer = std::uint64_t;
using Stream = void*;
using Event = void*;
using Graph = void*;
using GraphExec = void*;
using Module = void*;
using Function = void*;
constexpr int pointer_sync_memops = 6;         ///< CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
constexpr int handle_dma_buf_fd = 1;           ///< CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
constexpr int writes_ordering = 118;           ///< CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING
constexpr int writes_ordered_for_owner = 100;  ///< CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER, and the flush's scope
constexpr int flush_current_context = 0;       ///< CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX
constexpr int multiprocessor_count = 16;       ///< CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
constexpr unsigned stream_non_blocking = 1;    ///< CU_STREAM_NON_BLOCKING
constexpr unsigned event_without_timing = 2;   ///< CU_EVENT_DISABLE_TIMING
constexpr int capture_thread_local = 1;        ///< CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
constexpr Result out_of_memory = 2, not_ready = 600;
}  // namespace cuda

struct CudaApi {
  cuda::Result (*init)(unsigned flags);
  cuda::Result (*device_get_count)(int* count);
  cuda::Result (*device_get)(cuda::Device* device, int number);
  cuda::Result (*device_get_name)(char* name, int bytes, cuda::Device device);
  cuda::Result (*device_get_pci_bus_id)(char* id, int bytes, cuda::Device device);
  cuda::Result (*primary_context_retain)(cuda::Context* context, cuda::Device device);
  cuda::Result (*primary_context_release)(cuda::Device device);
  cuda::Result (*context_set_current)(cuda::Context context);
  cuda::Result (*context_synchronize)();
  cuda::Result (*mem_alloc)(cuda::DevicePointer* begin, std::size_t bytes);
  cuda::Result (*mem_free)(cuda::DevicePointer begin);
  cuda::Result (*mem_copy)(cuda::DevicePointer to, cuda::DevicePointer from, std::size_t bytes);
  cuda::Result (*mem_set)(cuda::DevicePointer begin, unsigned char value, std::size_t bytes);
  cuda::Result (*pointer_set_attribute)(const void* value, int attribute, cuda::DevicePointer pointer);
  cuda::Result (*get_error_string)(cuda::Result error, const char** text);
  cuda::Result (*device_get_attribute)(int* value, int attribute, cuda::Device device);
  /// Null with drivers before CUDA 11.3.
  cuda::Result (*flush_writes)(int target, int scope);
  /// Null with drivers before CUDA 11.7.
  cuda::Result (*get_handle_for_address_range)(void* handle, cuda::DevicePointer begin, std::size_t bytes, int type,
                                               unsigned long long flags);

  cuda::Result (*driver_get_version)(int* version);  ///< newest supported CUDA, as 1000 × major + 10 × minor

  // Streams, events, graphs and kernels: null with drivers before CUDA 12.
  cuda::Result (*stream_create)(cuda::Stream* stream, unsigned flags);
  cuda::Result (*stream_destroy)(cuda::Stream stream);
  cuda::Result (*stream_query)(cuda::Stream stream);
  cuda::Result (*event_create)(cuda::Event* event, unsigned flags);
  cuda::Result (*event_destroy)(cuda::Event event);
  cuda::Result (*event_record)(cuda::Event event, cuda::Stream stream);
  cuda::Result (*event_query)(cuda::Event event);
  cuda::Result (*event_elapsed_time)(float* milliseconds, cuda::Event begin, cuda::Event end);
  cuda::Result (*stream_begin_capture)(cuda::Stream stream, int mode);
  cuda::Result (*stream_end_capture)(cuda::Stream stream, cuda::Graph* graph);
  cuda::Result (*graph_instantiate)(cuda::GraphExec* exec, cuda::Graph graph, unsigned long long flags);
  cuda::Result (*graph_launch)(cuda::GraphExec exec, cuda::Stream stream);
  cuda::Result (*graph_exec_destroy)(cuda::GraphExec exec);
  cuda::Result (*graph_destroy)(cuda::Graph graph);
  cuda::Result (*module_load_data)(cuda::Module* module, const void* image);
  cuda::Result (*module_unload)(cuda::Module module);
  cuda::Result (*module_get_function)(cuda::Function* function, cuda::Module module, const char* name);
  cuda::Result (*launch_kernel)(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                cuda::Stream stream, void** parameters, void** extra);
};

/// The newest CUDA version that the driver supports: "CUDA 13.0".
std::string cuda_version_text(const CudaApi& api);

/// Empty if the driver has streams, graphs and kernels, otherwise the reason why not.
std::string why_no_streams(const CudaApi& api);

/// The functions, or the reason why they are missing.
struct CudaDriver {
  const CudaApi* api = nullptr;
  std::string why_not;
  std::filesystem::path sysfs = "/sys";
};

/// The version of the loaded driver library: "580.95.05", or "CUDA 13.0" if its file name does not contain it.
std::string driver_version_text(const CudaApi& api);

/// This machine's library, opened once. It initialises nothing, so a process may call it before it forks.
const CudaDriver& system_cuda_driver();

}  // namespace ringmark
