// NVTX domains of this process. The handle a client holds carries its id and whether its events are
// wanted, so that an event in an excluded domain costs one test.
#pragma once

#include <cstdint>

#include "injection/nvtx/abi.hpp"

namespace prof::nvtx {

struct Domain {
  std::uint32_t id;  // 0 is the default domain
  bool recorded;
};

// Decides about the default domain; call when the process has joined its session.
void apply_domain_filter();

// The default domain, which has no handle.
Domain default_domain();

// Decodes a handle; null is the default domain.
Domain domain_of(DomainHandle handle);

// One id per name, however many DSOs create it.
DomainHandle create_domain(const char* name);
DomainHandle create_domain(const wchar_t* name);
void destroy_domain(DomainHandle handle);

}  // namespace prof::nvtx
