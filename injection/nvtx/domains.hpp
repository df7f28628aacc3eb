// NVTX domains of this process. A handle contains the domain's id and whether its events are
// recorded, so an event in an excluded domain costs one test.
#pragma once

#include <cstdint>

#include "injection/nvtx/abi.hpp"

namespace prof::nvtx {

struct Domain {
  std::uint32_t id;  // 0 is the default domain
  bool recorded;
};

// Decides whether the default domain is recorded. Called when the process has joined its session.
void apply_domain_filter();

extern bool g_default_recorded;  // only apply_domain_filter() writes it

// Returns the default domain, which has no handle. These functions are inline: a callback would
// otherwise save a register before the call, even while nobody collects.
inline Domain default_domain() { return {0, g_default_recorded}; }

// Decodes a handle. A null handle is the default domain.
inline Domain domain_of(DomainHandle handle) {
  if (handle == nullptr) return default_domain();
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  return {static_cast<std::uint32_t>(bits >> 2), (bits & 2) != 0};
}

// Returns a domain's handle. A name has one id in a process, even if several DSOs create the
// domain.
DomainHandle create_domain(const char* name);
DomainHandle create_domain(const wchar_t* name);
void destroy_domain(DomainHandle handle);

// Returns the string hash of a domain's name; 0: the default domain.
std::uint64_t name_of_domain(std::uint32_t id);

// Reports the existing domains to a new session.
void resend_domains();

}  // namespace prof::nvtx
