#include "injection/libraries/code_addresses.hpp"

#include <atomic>
#include <cstddef>

#include "common/wire/openmp_records.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/libraries/recorder.hpp"

namespace prof::libraries {

namespace {

constexpr std::size_t kCodes = 1024;
constexpr std::size_t kProbes = 16;
std::atomic<std::uint64_t> g_codes[kCodes];

[[gnu::cold, gnu::noinline]] void send_code(std::uint64_t code) {
  const link_map* const map = core::object_at(reinterpret_cast<const void*>(code));
  if (map == nullptr) return;
  const wire::CodeAddressRecord record{{sizeof(record), wire::RecordType::kCodeAddress, 0, 0},
                                       code,
                                       code - map->l_addr,
                                       prof_intern_text(map->l_name)};
  prof_write_library_definition(&record, sizeof record);
}

}  // namespace

void announce_code(std::uint32_t library, std::uint64_t code) {
  const std::size_t first = code * 0x9e3779b97f4a7c15 >> 48;
  for (std::size_t i = 0; i < kProbes; ++i) {
    std::atomic<std::uint64_t>& place = g_codes[(first + i) % kCodes];
    std::uint64_t known = place.load(std::memory_order_relaxed);
    if (known == code) [[likely]]
      return;
    if (known != 0) continue;
    if (prof_begin_library_call(library) == 0) return;  // nothing is recorded now
    if (place.compare_exchange_strong(known, code, std::memory_order_relaxed))
      return send_code(code);
    if (known == code) return;
  }
}

}  // namespace prof::libraries
