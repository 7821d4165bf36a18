#include "tests/transports/fabric/verbs/fake_verbs.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/transports/fabric/verbs/fake_verbs_objects.hpp"

namespace ringmark::testing_support {
namespace {

FakeVerbs* current = nullptr;

}  // namespace

/// libibverbs' functions.
struct FakeCalls {
  static ibv::Device** get_device_list(int* count) {
    if (current->fails("ibv_get_device_list")) return *count = 0, nullptr;
    auto** list = new ibv::Device*[current->devices_.size() + 1]();
    for (std::size_t i = 0; i < current->devices_.size(); ++i) list[i] = current->devices_[i].get();
    *count = static_cast<int>(current->devices_.size());
    return list;
  }
  static void free_device_list(ibv::Device** list) { delete[] list; }
  static const char* get_device_name(ibv::Device* device) {
    return static_cast<FakeVerbs::FakeDevice*>(device)->port.device.c_str();
  }
  static ibv::Context* open_device(ibv::Device* device) {
    if (current->fails("ibv_open_device")) return nullptr;
    auto* context = new FakeVerbs::FakeContext;
    context->port = static_cast<FakeVerbs::FakeDevice*>(device)->port;
    context->poll_cq = poll_cq;
    context->req_notify_cq = req_notify_cq;
    context->post_send = post_send;
    context->post_recv = post_recv;
    return context;
  }
  static int close_device(ibv::Context* context) { return delete static_cast<FakeVerbs::FakeContext*>(context), 0; }
  static int query_device(ibv::Context*, ibv::DeviceAttr* attr) {
    if (current->fails("ibv_query_device")) return ENOMEM;
    return attr->phys_port_cnt = 1, 0;
  }
  static int query_port(ibv::Context* context, std::uint8_t, ibv::PortAttr* attr) {
    if (current->fails("ibv_query_port")) return ENOMEM;
    const auto& port = static_cast<FakeVerbs::FakeContext*>(context)->port;
    attr->state = port.state;
    attr->active_mtu = attr->max_mtu = port.mtu_code;
    attr->gid_tbl_len = static_cast<int>(port.gids.size());
    attr->link_layer = port.link_layer;
    return 0;
  }
  static int query_gid(ibv::Context* context, std::uint8_t, int index, ibv::Gid* gid) {
    if (current->fails("ibv_query_gid")) return -1;
    const auto& text = static_cast<FakeVerbs::FakeContext*>(context)->port.gids[static_cast<std::size_t>(index)].second;
    gid->fill(0);
    if (::inet_pton(AF_INET6, text.c_str(), gid->data()) == 1) return 0;
    (*gid)[10] = (*gid)[11] = 0xff;
    return ::inet_pton(AF_INET, text.c_str(), gid->data() + 12) == 1 ? 0 : -1;
  }

  template <class Object>
  static Object* made(const char* call, Object* object) {
    if (current->fails(call)) return delete object, nullptr;
    const std::lock_guard lock(current->mutex_);
    ++current->objects_;
    return object;
  }
  template <class Object>
  static int ended(Object* object) {
    const std::lock_guard lock(current->mutex_);
    --current->objects_;
    delete object;
    return 0;
  }

  static ibv::Pd* alloc_pd(ibv::Context* context) { return made("ibv_alloc_pd", new ibv::Pd{context}); }
  static int dealloc_pd(ibv::Pd* pd) { return ended(pd); }
  static ibv::Mr* reg_mr(ibv::Pd*, void* address, std::size_t bytes, int) {
    if (current->reach_.reach(address) != address && !current->reach_.peers) return errno = EFAULT, nullptr;
    return registered(address, bytes);
  }
  static ibv::Mr* reg_dmabuf_mr(ibv::Pd*, std::uint64_t, std::size_t bytes, std::uint64_t address, int fd, int) {
    auto* begin = reinterpret_cast<void*>(address);
    if (!current->reach_.takes_dma_bufs || !current->reach_.is_dma_buf_of(fd, begin)) return errno = EINVAL, nullptr;
    {
      const std::lock_guard lock(current->mutex_);
      ++current->dma_bufs_;
    }
    return registered(begin, bytes);
  }
  static ibv::Mr* registered(void* address, std::size_t bytes) {
    auto* memory = made("ibv_reg_mr", new ibv::Mr{nullptr, nullptr, address, bytes, 0, 0, 0});
    if (memory == nullptr) return nullptr;
    const std::lock_guard lock(current->mutex_);
    memory->lkey = memory->rkey = current->next_number_++;
    ++current->registrations_;
    current->memory_[memory->rkey] = memory;
    return memory;
  }
  static int dereg_mr(ibv::Mr* memory) {
    {
      const std::lock_guard lock(current->mutex_);
      current->memory_.erase(memory->rkey);
    }
    return ended(memory);
  }
  static ibv::CompChannel* create_comp_channel(ibv::Context*) {
    auto* channel = made("ibv_create_comp_channel", new FakeVerbs::Channel);
    if (channel != nullptr) channel->fd = ::eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    return channel;
  }
  static int destroy_comp_channel(ibv::CompChannel* channel) {
    ::close(channel->fd);
    return ended(static_cast<FakeVerbs::Channel*>(channel));
  }
  static ibv::Cq* create_cq(ibv::Context* context, int entries, void*, ibv::CompChannel* channel, int) {
    auto* queue = made("ibv_create_cq", new FakeVerbs::Queue);
    if (queue == nullptr) return nullptr;
    queue->context = context;
    queue->channel = static_cast<FakeVerbs::Channel*>(channel);
    queue->capacity = static_cast<std::size_t>(entries);
    return queue;
  }
  static int destroy_cq(ibv::Cq* cq) {
    auto* queue = static_cast<FakeVerbs::Queue*>(cq);
    {
      const std::lock_guard lock(current->mutex_);
      std::erase(queue->channel->events, queue);
    }
    return ended(queue);
  }
  static int get_cq_event(ibv::CompChannel* channel, ibv::Cq** cq, void**) {
    std::uint64_t one = 0;
    if (::read(channel->fd, &one, sizeof one) != sizeof one) return -1;
    const std::lock_guard lock(current->mutex_);
    auto& events = static_cast<FakeVerbs::Channel*>(channel)->events;
    *cq = events.front();
    events.pop_front();
    return 0;
  }
  static void ack_cq_events(ibv::Cq*, unsigned) {}
  static ibv::Qp* create_qp(ibv::Pd* pd, ibv::QpInitAttr* attr) {
    if (attr->cap.max_inline_data > current->faults_.most_inline) return errno = EINVAL, nullptr;
    auto* pair = made("ibv_create_qp", new FakeVerbs::Pair);
    if (pair == nullptr) return nullptr;
    const std::lock_guard lock(current->mutex_);
    pair->context = pd->context;
    pair->send_queue = static_cast<FakeVerbs::Queue*>(attr->send_cq);
    pair->receive_queue = static_cast<FakeVerbs::Queue*>(attr->recv_cq);
    pair->most_sends = attr->cap.max_send_wr;
    pair->qp_num = current->next_number_++;
    current->pairs_[pair->qp_num] = pair;
    return pair;
  }
  static int destroy_qp(ibv::Qp* qp) {
    auto* pair = static_cast<FakeVerbs::Pair*>(qp);
    {
      const std::lock_guard lock(current->mutex_);
      current->pairs_.erase(pair->qp_num);
      std::erase(current->busy_, pair);
    }
    return ended(pair);
  }
  static int modify_qp(ibv::Qp* qp, ibv::QpAttr* attr, int mask) {
    if (current->fails("ibv_modify_qp")) return EINVAL;
    if ((mask & ibv::qp_dest_qpn) != 0 && current->unanswered_-- > 0) return ETIMEDOUT;
    if ((mask & ibv::qp_dest_qpn) != 0) static_cast<FakeVerbs::Pair*>(qp)->peer = attr->dest_qp_num;
    return 0;
  }
  static const char* wc_status_str(ibv::WcStatus status) {
    return status == ibv::wc_retry_exc_err ? "transport retry counter exceeded" : "some other error";
  }

  static int poll_cq(ibv::Cq* cq, int entries, ibv::Wc* completions) {
    if (current->fails("ibv_poll_cq")) return -1;
    const std::lock_guard lock(current->mutex_);
    auto& waiting = static_cast<FakeVerbs::Queue*>(cq)->completions;
    int count = 0;
    for (; count < entries && !waiting.empty(); ++count, waiting.pop_front()) {
      completions[count] = waiting.front().first;
      const auto pair = current->pairs_.find(completions[count].qp_num);
      if (pair != current->pairs_.end()) pair->second->unretired -= waiting.front().second;
    }
    return count;
  }
  static int req_notify_cq(ibv::Cq* cq, int) {
    if (current->fails("ibv_req_notify_cq")) return ENOMEM;
    const std::lock_guard lock(current->mutex_);
    return static_cast<FakeVerbs::Queue*>(cq)->armed = true, 0;
  }
  static int post_send(ibv::Qp* qp, ibv::SendWr* wr, ibv::SendWr**) {
    if (current->fails("ibv_post_send")) return ENOMEM;
    const std::lock_guard lock(current->mutex_);
    auto* pair = static_cast<FakeVerbs::Pair*>(qp);
    if (++pair->unretired > pair->most_sends) return ENOMEM;
    FakeVerbs::Request request{*wr, wr->sg_list[0], {}};
    if ((wr->send_flags & ibv::send_inline) != 0) {
      const auto* data = reinterpret_cast<const std::byte*>(request.from.addr);
      request.inline_data.assign(data, data + request.from.length);
    }
    pair->sends.push_back(std::move(request));
    if (pair->sends.size() == 1) current->busy_.push_back(pair);
    current->work_.notify_one();
    return 0;
  }
  static int post_recv(ibv::Qp* qp, ibv::RecvWr* wr, ibv::RecvWr**) {
    if (current->fails("ibv_post_recv")) return ENOMEM;
    const std::lock_guard lock(current->mutex_);
    static_cast<FakeVerbs::Pair*>(qp)->receives.emplace_back(wr->wr_id, wr->sg_list[0]);
    return 0;
  }
};

FakeVerbs::FakeVerbs(std::vector<FakePort> ports, FakeFaults faults, FakeReach reach)
    : ports_(std::move(ports)), faults_(std::move(faults)), reach_(std::move(reach)) {
  const std::set<std::string> known{
      "ibv_get_device_list", "ibv_open_device", "ibv_query_device",        "ibv_query_port", "ibv_query_gid",
      "ibv_alloc_pd",        "ibv_reg_mr",      "ibv_create_comp_channel", "ibv_create_cq",  "ibv_create_qp",
      "ibv_modify_qp",       "ibv_post_send",   "ibv_post_recv",           "ibv_poll_cq",    "ibv_req_notify_cq"};
  for (const auto& call : faults_.failing_calls) {
    if (!known.contains(call)) throw std::logic_error("the fake has no " + call + " to fail");
  }
  using C = FakeCalls;
  api_ = {C::get_device_list,
          C::free_device_list,
          C::get_device_name,
          C::open_device,
          C::close_device,
          C::query_device,
          C::query_port,
          C::query_gid,
          C::alloc_pd,
          C::dealloc_pd,
          C::reg_mr,
          C::dereg_mr,
          C::create_comp_channel,
          C::destroy_comp_channel,
          C::create_cq,
          C::destroy_cq,
          C::get_cq_event,
          C::ack_cq_events,
          C::create_qp,
          C::destroy_qp,
          C::modify_qp,
          C::wc_status_str,
          C::reg_dmabuf_mr};
  for (const auto& port : ports_) devices_.push_back(std::make_unique<FakeDevice>(FakeDevice{{}, port}));
  static int trees = 0;
  driver_.api = &api_;
  driver_.sysfs = std::filesystem::temp_directory_path() /
                  ("ringmark-fake-verbs-" + std::to_string(::getpid()) + "-" + std::to_string(++trees));
  write_sysfs(ports_);
  current = this;
  engine_ = std::thread([this] { engine(); });
}

FakeVerbs::~FakeVerbs() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  work_.notify_one();
  engine_.join();
  std::filesystem::remove_all(driver_.sysfs);
  current = nullptr;
}

void FakeVerbs::write_sysfs(const std::vector<FakePort>& ports) {
  for (const auto& port : ports) {
    const auto folder = driver_.sysfs / "class/infiniband" / port.device / "ports/1";
    std::filesystem::create_directories(folder / "gid_attrs/types");
    std::ofstream(folder / "rate") << "100 Gb/sec (4X EDR)\n";
    for (std::size_t i = 0; i < port.gids.size(); ++i) {
      std::ofstream(folder / "gid_attrs/types" / std::to_string(i)) << port.gids[i].first << "\n";
    }
  }
}

bool FakeVerbs::fails(const char* call) const {
  if (!faults_.failing_calls.contains(call)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace ringmark::testing_support
