// Ids of the functions recorded by this folder, in the order of process.def.
#pragma once

#include "injection/core/record/call.hpp"

namespace prof::process {

enum class FunctionId : std::uint32_t {
#define PROCESS_FUNCTION(name, category) name,
#include "common/wire/functions/process.def"
#undef PROCESS_FUNCTION
};

constexpr core::Function function(FunctionId id, const char* name) {
  return {wire::kProcessFunctions + static_cast<std::uint32_t>(id), name};
}

}  // namespace prof::process

#define PROCESS_FUNCTION_ID(name) \
  ::prof::process::function(::prof::process::FunctionId::name, #name)
