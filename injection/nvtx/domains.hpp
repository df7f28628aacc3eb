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

// The default domain, which has no handle.
Domain default_domain();

// Decodes a handle; null is the default domain.
Domain domain_of(DomainHandle handle);

// A name has one id in a process, even if several DSOs create the domain.
DomainHandle create_domain(const char* name);
DomainHandle create_domain(const wchar_t* name);
void destroy_domain(DomainHandle handle);

}  // namespace prof::nvtx
