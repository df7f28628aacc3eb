#include "injection/nvtx/domains.hpp"

#include <atomic>
#include <cstring>

#include "common/wire/hash.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/nvtx/capture/trigger.hpp"

namespace prof::nvtx {

bool g_default_recorded = true;

namespace {

// The hash of each domain's name, by domain id. Filled from 1 upwards, without a lock, because
// another thread could hold a lock at fork.
constexpr std::uint32_t kMaxDomains = 1024;
PROF_SELDOM std::atomic<std::uint64_t> g_domains[kMaxDomains];

// The name of a domain, cut if it is longer. Used only in a program that prof attached to: prof may
// attach to it again, and the next session does not know the names.
struct Name {
  char text[64];
};
constinit core::LazyArray<Name, kMaxDomains> g_names;

// Returns whether the name is in the session's list of domains for the filter.
bool listed(std::uint64_t hash) {
  const char* at = core::g_process.config.nvtx_domains;
  const char* end = at + core::g_process.config.nvtx_domain_bytes;
  while (at < end) {
    const std::size_t length = strnlen(at, static_cast<std::size_t>(end - at));
    if (wire::hash_text(at, length) == hash) return true;
    at += length + 1;
  }
  return false;
}

bool wanted(std::uint64_t hash) {
  switch (core::g_process.config.nvtx_filter) {
    case wire::NvtxFilter::kInclude:
      return listed(hash);
    case wire::NvtxFilter::kExclude:
      return !listed(hash);
    case wire::NvtxFilter::kNone:
      break;
  }
  return true;
}

// Returns the id of the name, or takes the next free one. 0: the table is full.
std::uint32_t id_of(std::uint64_t hash, bool& is_new) {
  is_new = false;
  for (std::uint32_t id = 1; id < kMaxDomains; ++id) {
    std::uint64_t found = 0;
    if (g_domains[id].compare_exchange_strong(found, hash)) {
      is_new = true;
      return id;
    }
    if (found == hash) return id;
  }
  core::report(wire::DiagnosticCode::kNvtxDomainLimit, kMaxDomains);
  return 0;
}

// Bit 0 is always set, so that no handle is null; bit 1: recorded; from bit 2: id.
DomainHandle handle_of(std::uint32_t id, bool recorded) {
  return reinterpret_cast<DomainHandle>((static_cast<std::uintptr_t>(id) << 2) |
                                        (recorded ? 2U : 0U) | 1U);
}

void send_domain(std::uint32_t id, std::uint64_t hash) {
  core::append(wire::NvtxDomainRecord{
      core::header_of<wire::NvtxDomainRecord>(wire::RecordType::kNvtxDomain, id), core::now(),
      hash});
}

void keep_name(std::uint32_t id, const char* text) {
  if (!core::g_process.loaded_late || text == nullptr) return;
  Name* const names = g_names.get();
  if (names != nullptr) std::strncpy(names[id].text, text, sizeof names[id].text - 1);
}

DomainHandle create(std::uint64_t hash, const char* text) {
  if (!wanted(hash)) return handle_of(0, false);
  bool is_new;
  const std::uint32_t id = id_of(hash, is_new);
  if (id == 0) return handle_of(0, false);
  note_domain(id, hash);
  if (is_new) {
    keep_name(id, text);
    send_domain(id, hash);
  }
  return handle_of(id, true);
}

}  // namespace

void apply_domain_filter() {
  constexpr char kDefault[] = "default";
  g_default_recorded = wanted(wire::hash_text(kDefault, sizeof kDefault - 1));
}

DomainHandle create_domain(const char* name) { return create(core::intern(name), name); }
DomainHandle create_domain(const wchar_t* name) { return create(core::intern(name), nullptr); }

std::uint64_t name_of_domain(std::uint32_t id) {
  return id < kMaxDomains ? g_domains[id].load(std::memory_order_relaxed) : 0;
}

void resend_domains() {
  const Name* const names = g_names.get_if_used();
  for (std::uint32_t id = 1; id < kMaxDomains; ++id) {
    const std::uint64_t hash = g_domains[id].load(std::memory_order_acquire);
    if (hash == 0) return;
    const bool is_known = names != nullptr && names[id].text[0] != '\0';
    send_domain(id, is_known ? core::intern(names[id].text) : hash);
  }
}

void destroy_domain(DomainHandle handle) {
  const Domain domain = domain_of(handle);
  if (!domain.recorded || handle == nullptr) return;
  core::append(wire::NvtxDomainEndRecord{
      core::header_of<wire::NvtxDomainEndRecord>(wire::RecordType::kNvtxDomainEnd, domain.id),
      core::now()});
}

}  // namespace prof::nvtx
