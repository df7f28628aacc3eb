// Ids of the traced functions, in the order of functions.def.
#pragma once

#include "injection/core/record/call.hpp"

namespace prof::osrt {

enum class FunctionId : std::uint32_t {
#define OSRT(name, ret, params, args, category, flags, version) name,
#define OSRT_ALIAS(symbol, name, ret, params, args, flags)
#define OSRT_VERSION(id, name, ret, params, args, flags, version)
#include "injection/osrt/functions.def"
#undef OSRT
#undef OSRT_ALIAS
#undef OSRT_VERSION
  kCount
};
static_assert(static_cast<std::uint32_t>(FunctionId::kCount) < wire::kProcessFunctions);

constexpr core::Function function(FunctionId id, const char* name) {
  return {wire::kOsrtFunctions + static_cast<std::uint32_t>(id), name};
}

}  // namespace prof::osrt

#define OSRT_FUNCTION(name) ::prof::osrt::function(::prof::osrt::FunctionId::name, #name)
