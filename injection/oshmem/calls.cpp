// Called by libraries/trampolines_*.S at each call of a function in oshmem.def. Calls that the
// library makes of its own functions are not recorded.
#include "common/wire/shmem_records.hpp"
#include "injection/libraries/arguments.hpp"
#include "injection/libraries/bound_functions.hpp"
#include "injection/libraries/recorder.hpp"
#include "injection/oshmem/shmem_functions.hpp"

namespace {

using namespace prof;

constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::kOpenShmem);

libraries::BoundFunctions<shmem::kFunctionCount> g_functions;

long missing() { return 0; }

// Returns -1 if the call moves no data.
std::int64_t bytes_of(const shmem::Roles& roles, const libraries::Arguments& arguments) {
  const auto word = [&](std::int8_t role) {
    return arguments.word(static_cast<std::uint32_t>(role));
  };
  if (roles.count >= 0) return roles.bytes * static_cast<std::int64_t>(word(roles.count));
  if (roles.int_count >= 0) return roles.bytes * static_cast<std::int32_t>(word(roles.int_count));
  return roles.bytes;
}

std::int32_t peer_of(const shmem::Roles& roles, const libraries::Arguments& arguments) {
  if (roles.peer < 0) return -1;
  return static_cast<std::int32_t>(arguments.word(static_cast<std::uint32_t>(roles.peer)));
}

struct Entered {
  void* real;
  std::uint64_t start;  // 0: the call is not recorded
};

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) Entered enter_call(std::uint32_t function,
                                                         const void* caller) {
  const auto [real, is_own] =
      g_functions.find(function, shmem::kFunctions[function].name, caller, "oshmem", kLibrary);
  if (real == nullptr) return {reinterpret_cast<void*>(missing), 0};
  if (is_own || prof_begin_library_call == nullptr) return {real, 0};
  return {real, prof_begin_library_call(kLibrary)};
}

__attribute__((visibility("hidden"))) void leave_call(std::uint32_t function, std::uint64_t start,
                                                      int, const std::uint64_t* registers,
                                                      const std::uint64_t* stack, const void*) {
  const shmem::Function& entry = shmem::kFunctions[function];
  const libraries::Arguments arguments(registers, stack);
  const std::uint32_t id =
      wire::kLibraryFunctions + kLibrary * wire::kFunctionsPerLibrary + function;
  const wire::ShmemCallRecord record{{sizeof record, wire::RecordType::kShmemCall, 0, id},
                                     start,
                                     prof_time(),
                                     bytes_of(entry.roles, arguments),
                                     peer_of(entry.roles, arguments),
                                     0};
  prof_write_library_record(id, entry.name, &record, sizeof record);
}
}
