#include "transports/fabric/verbs/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/system/loaded_library.hpp"

namespace ringmark {
namespace {

constexpr const char* library_name = "libibverbs.so.1";

VerbsDriver load() {
  VerbsDriver driver;
  void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    driver.why_not = fmt::format("{} cannot be opened ({}): install rdma-core's libibverbs", library_name, ::dlerror());
    return driver;
  }
  static VerbsApi api;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
  const auto resolve = [&](auto& function, const char* name) {
    if (!find(function, name)) driver.why_not = fmt::format("{} has no {}: it is too old", library_name, name);
  };
  resolve(api.get_device_list, "ibv_get_device_list");
  resolve(api.free_device_list, "ibv_free_device_list");
  resolve(api.get_device_name, "ibv_get_device_name");
  resolve(api.open_device, "ibv_open_device");
  resolve(api.close_device, "ibv_close_device");
  resolve(api.query_device, "ibv_query_device");
  resolve(api.query_port, "ibv_query_port");
  resolve(api.query_gid, "ibv_query_gid");
  resolve(api.alloc_pd, "ibv_alloc_pd");
  resolve(api.dealloc_pd, "ibv_dealloc_pd");
  resolve(api.reg_mr, "ibv_reg_mr");
  resolve(api.dereg_mr, "ibv_dereg_mr");
  resolve(api.create_comp_channel, "ibv_create_comp_channel");
  resolve(api.destroy_comp_channel, "ibv_destroy_comp_channel");
  resolve(api.create_cq, "ibv_create_cq");
  resolve(api.destroy_cq, "ibv_destroy_cq");
  resolve(api.get_cq_event, "ibv_get_cq_event");
  resolve(api.ack_cq_events, "ibv_ack_cq_events");
  resolve(api.create_qp, "ibv_create_qp");
  resolve(api.destroy_qp, "ibv_destroy_qp");
  resolve(api.modify_qp, "ibv_modify_qp");
  resolve(api.wc_status_str, "ibv_wc_status_str");
  find(api.reg_dmabuf_mr, "ibv_reg_dmabuf_mr");
  if (driver.why_not.empty()) driver.api = &api;
  return driver;
}

}  // namespace

std::string ibverbs_version_text() { return version_in_file_name(loaded_file(library_name)); }

const VerbsDriver& system_verbs_driver() {
  static const VerbsDriver driver = load();
  return driver;
}

}  // namespace ringmark
