// The UCX functions that are recorded (ucx.def): what a call does, and what its arguments mean.
#pragma once

#include <cstdint>

#include "common/wire/records.hpp"

namespace prof::ucx {

using Word = std::uint64_t;

enum class Kind : std::uint8_t {
  kTransfer,    // sends, receives, or accesses remote memory
  kCall,        // anything else
  kWorker,      // makes a worker
  kConnect,     // makes an endpoint
  kDisconnect,  // frees an endpoint
};

// What UCX passes to the callback of a completed transfer between its status and the program's
// pointer.
enum class Callback : std::uint8_t {
  kSent,      // nothing
  kReceived,  // pointer to tag and length
  kStreamed,  // length
};

// The index of the parameter that has each role; -1: none has it.
struct Roles {
  std::int8_t endpoint = -1;
  std::int8_t buffer = -1;
  std::int8_t count = -1, type = -1;  // without a type (here or in `param`) elements are bytes
  std::int8_t tag = -1;
  std::int8_t param = -1;   // pointer to ucp_request_param_t
  std::int8_t bytes = -1;   // not a parameter: the size of what the function changes
  std::int8_t result = -1;  // pointer to the object that the function makes
  Callback callback = Callback::kSent;
};

struct Function {
  const char* name;
  Kind kind;
  Roles roles;
};

#define UCP_FUNCTION(name, parameters, kind, ...) {#name, Kind::k##kind, {__VA_ARGS__}},
inline constexpr Function kFunctions[] = {
#include "injection/ucx/ucx.def"
};
#undef UCP_FUNCTION

// The index of each function.
#define UCP_FUNCTION(name, ...) k##name,
enum Index : std::uint32_t {
#include "injection/ucx/ucx.def"
  kFunctionCount
};
#undef UCP_FUNCTION
static_assert(kFunctionCount <= wire::kFunctionsPerLibrary);

inline constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::kUcx);

constexpr std::uint32_t id_of(Index function) {
  return wire::kLibraryFunctions + kLibrary * wire::kFunctionsPerLibrary + function;
}

}  // namespace prof::ucx
