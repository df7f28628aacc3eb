// The functions that the program calls in place of those of its MPI library. Each passes its
// arguments on as words, because all of them are integers, handles and pointers.
//
// A call of the profiling interface (PMPI_X) is recorded only if the Fortran bindings of MPI make
// it. Tools make the others for calls that they have intercepted.
#include <alloca.h>

#include <atomic>
#include <cstring>

#include "injection/core/symbols/loader.hpp"
#include "injection/libraries/real_function.hpp"
#include "injection/libraries/recorder.hpp"
#include "injection/mpi/calls.hpp"

namespace {

using namespace prof;
using mpi::Index;
using mpi::Kind;
using mpi::Word;

enum Interface : std::uint32_t { kPublic, kProfiling };
constexpr std::uint32_t kInterfaces = 2;

// The real functions, one set for each calling object, as in libraries/calls.cpp.
libraries::Callers g_callers;
std::atomic<void*> g_real[libraries::kMaxCallers][mpi::kFunctionCount * kInterfaces];
// Whether the calling object is a Fortran binding. Written before the real functions of the object.
std::atomic<bool> g_is_binding[libraries::kMaxCallers];

bool is_fortran_binding(const void* caller) {
  const link_map* map = core::object_at(caller);
  if (map == nullptr) return false;
  const char* slash = std::strrchr(map->l_name, '/');
  const char* name = slash != nullptr ? slash + 1 : map->l_name;
  // Open MPI; MPICH and MPIs that are based on it; Debian's MPICH.
  for (const char* begin : {"libmpi_mpifh", "libmpi_usempi", "libmpifort", "libmpichf"})
    if (std::strncmp(name, begin, std::strlen(begin)) == 0) return true;
  return false;
}

// Called in place of a function that no loaded library defines. Returns MPICH's MPI_ERR_OTHER,
// which is an error in every implementation.
long missing() { return 15; }

struct Target {
  void* real;
  bool is_recorded;
};

[[gnu::cold, gnu::noinline]] Target resolve(Index function, Interface interface,
                                            const void* caller) {
  const std::uint32_t index = g_callers.add(caller);
  const bool is_binding = is_fortran_binding(caller);
  mpi::find_implementation(caller);
  const mpi::Function& entry = mpi::kFunctions[function];
  const char* name = interface == kPublic ? entry.public_name() : entry.name;
  void* real = libraries::find_real_function(name, caller, "mpi");
  if (real == nullptr) {
    if (prof_library_missing != nullptr)
      prof_library_missing(static_cast<std::uint32_t>(wire::Library::kMpi));
    return {reinterpret_cast<void*>(missing), false};
  }
  // Objects that share entry 0 are not told apart.
  g_is_binding[index].store(is_binding && index != 0, std::memory_order_relaxed);
  g_real[index][function * kInterfaces + interface].store(real, std::memory_order_release);
  return {real, interface == kPublic || is_binding};
}

[[gnu::always_inline]] inline Target find_target(Index function, Interface interface,
                                                 const void* caller) {
  const std::uint32_t index = g_callers.find(caller);
  void* real = g_real[index][function * kInterfaces + interface].load(std::memory_order_acquire);
  if (real == nullptr) [[unlikely]]
    return resolve(function, interface, caller);
  return {real, interface == kPublic || g_is_binding[index].load(std::memory_order_relaxed)};
}

// always_inline: the requests lie in the frame of the wrapper.
template <Index function, class... Words>
[[gnu::always_inline]] inline long forward(Interface interface, const void* caller, void* frame,
                                           Words... words) {
  constexpr const mpi::Function& kFunction = mpi::kFunctions[function];
  const Target target = find_target(function, interface, caller);
  const auto real = reinterpret_cast<long (*)(Words...)>(target.real);
  if constexpr (kFunction.kind == Kind::kFinalize) mpi::set_finalized();
  const std::uint64_t start =
      target.is_recorded ? mpi::begin_call(reinterpret_cast<std::uintptr_t>(frame)) : 0;
  if (start == 0) return real(words...);
  const Word arguments[] = {words..., 0};
  mpi::Call call{function, start, arguments, nullptr, 0};
  if constexpr (kFunction.kind == Kind::kRequests) {
    call.request_count = mpi::count_of_requests(kFunction.roles, arguments);
    auto* handles = static_cast<Word*>(alloca((call.request_count + 1) * sizeof(Word)));
    mpi::keep_requests(kFunction.roles, arguments, handles, call.request_count);
    call.requests = handles;
  }
  // It does not return.
  if constexpr (function == mpi::kMPI_Abort) mpi::end_call(call, 0);
  const long result = real(words...);
  mpi::end_call(call, result);
  return result;
}

}  // namespace

#define PARAMETERS_0
#define PARAMETERS_1 Word a
#define PARAMETERS_2 PARAMETERS_1, Word b
#define PARAMETERS_3 PARAMETERS_2, Word c
#define PARAMETERS_4 PARAMETERS_3, Word d
#define PARAMETERS_5 PARAMETERS_4, Word e
#define PARAMETERS_6 PARAMETERS_5, Word f
#define PARAMETERS_7 PARAMETERS_6, Word g
#define PARAMETERS_8 PARAMETERS_7, Word h
#define PARAMETERS_9 PARAMETERS_8, Word i
#define PARAMETERS_10 PARAMETERS_9, Word j
#define PARAMETERS_11 PARAMETERS_10, Word k
#define PARAMETERS_12 PARAMETERS_11, Word l
#define PARAMETERS_13 PARAMETERS_12, Word m
// Each begins with the comma after the arguments before them.
#define ARGUMENTS_0
#define ARGUMENTS_1 , a
#define ARGUMENTS_2 ARGUMENTS_1, b
#define ARGUMENTS_3 ARGUMENTS_2, c
#define ARGUMENTS_4 ARGUMENTS_3, d
#define ARGUMENTS_5 ARGUMENTS_4, e
#define ARGUMENTS_6 ARGUMENTS_5, f
#define ARGUMENTS_7 ARGUMENTS_6, g
#define ARGUMENTS_8 ARGUMENTS_7, h
#define ARGUMENTS_9 ARGUMENTS_8, i
#define ARGUMENTS_10 ARGUMENTS_9, j
#define ARGUMENTS_11 ARGUMENTS_10, k
#define ARGUMENTS_12 ARGUMENTS_11, l
#define ARGUMENTS_13 ARGUMENTS_12, m

#define WRAPPER(symbol, function, interface, count)                           \
  extern "C" [[gnu::visibility("default")]] long symbol(PARAMETERS_##count) { \
    return forward<function>(interface, __builtin_return_address(0),          \
                             __builtin_frame_address(0) ARGUMENTS_##count);   \
  }
#define MPI_FUNCTION(name, count, ...)        \
  WRAPPER(name, mpi::k##name, kPublic, count) \
  WRAPPER(P##name, mpi::k##name, kProfiling, count)
#include "injection/mpi/mpi.def"
