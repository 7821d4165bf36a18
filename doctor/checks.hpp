// The doctor's checks. Each adds a finding for everything it examined, including fine ones, and none for hardware or
// files that the node lacks.
#pragma once

#include "doctor/finding.hpp"
#include "doctor/node.hpp"

namespace ringmark::doctor {

/// RDMA devices: state, link layer, rate and width, MTU of port and interface, GIDs, congestion settings of RoCE.
void check_rdma(const Node& node, Findings& findings);
/// PCI Express: ACS between GPUs and adapters, links below their capability, relaxed ordering, NUMA distance.
void check_pcie(const Node& node, Findings& findings);
/// GPUDirect RDMA: nvidia_peermem or dma-buf.
void check_gpu_direct(const Node& node, Findings& findings);
/// Processor and kernel: frequency governor, clock source, IOMMU, locked memory, huge pages.
void check_system(const Node& node, Findings& findings);
/// TCP: buffer limits, congestion control, the interfaces' MTU.
void check_tcp(const Node& node, Findings& findings);
/// The size of /dev/shm, and its free space.
void check_shared_memory(const Node& node, Findings& findings);
/// NCCL: files that silently change a run.
void check_nccl(const Node& node, Findings& findings);

}  // namespace ringmark::doctor
