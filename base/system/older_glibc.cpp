// C library functions that GCC's libraries call but glibc 2.34 lacks, for programs that contain GCC's libraries and
// must run there. They are hidden, so that shared libraries keep using those of the C library.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#define RINGMARK_HIDDEN extern "C" __attribute__((visibility("hidden"), used))

#if __GLIBC_PREREQ(2, 36)
/// Called by std::random_device.
RINGMARK_HIDDEN std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  if (::getentropy(&value, sizeof(value)) != 0) std::abort();
  return value;
}
#endif

#if __GLIBC_PREREQ(2, 35)
namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* result;
};

/// 1 if the object contains the address, which ends the search.
int look_into(dl_phdr_info* object, std::size_t, void* data) {
  const auto& search = *static_cast<const Search*>(data);
  const ElfW(Phdr)* unwinding = nullptr, *hit = nullptr;
  std::uintptr_t end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_GNU_EH_FRAME) unwinding = &segment;
    if (segment.p_type != PT_LOAD) continue;
    const auto begin = object->dlpi_addr + segment.p_vaddr;
    if (search.address >= begin && search.address < begin + segment.p_memsz)
      hit = &segment, end = begin + segment.p_memsz;
  }
  if (hit == nullptr || unwinding == nullptr) return 0;
  std::memset(search.result, 0, sizeof(*search.result));
  search.result->dlfo_map_start = reinterpret_cast<void*>(object->dlpi_addr + hit->p_vaddr);       // NOLINT
  search.result->dlfo_map_end = reinterpret_cast<void*>(end);                                      // NOLINT
  search.result->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + unwinding->p_vaddr);  // NOLINT
  return 1;
}

}  // namespace

/// Called during unwinding. It does not fill in the link map, which unwinding does not read.
RINGMARK_HIDDEN int _dl_find_object(void* address, dl_find_object* result) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), result};
  return ::dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
#endif
