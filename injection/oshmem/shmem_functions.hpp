// The functions of OpenSHMEM that are recorded (oshmem.def), and what their arguments mean.
#pragma once

#include <cstdint>

#include "common/wire/records.hpp"

namespace prof::shmem {

// Parameters count from 0, without those of floating-point types. -1: none has the role.
struct Roles {
  std::int8_t bytes = -1;  // not a parameter: the size of an element; -1: the call moves no data
  std::int8_t count = -1;  // of elements; without it there is one
  std::int8_t int_count = -1;  // the same, as an int
  std::int8_t peer = -1;
};

struct Function {
  const char* name;
  Roles roles;
};

#define LIBRARY_VALUE(name, ...) {#name, {__VA_ARGS__}},
inline constexpr Function kFunctions[] = {
#include "injection/oshmem/oshmem.def"
};
#undef LIBRARY_VALUE
inline constexpr std::size_t kFunctionCount = sizeof kFunctions / sizeof *kFunctions;
static_assert(kFunctionCount <= wire::kFunctionsPerLibrary);

}  // namespace prof::shmem
