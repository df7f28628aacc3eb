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
#include "injection/libraries/word_parameters.hpp"
#include "injection/mpi/calls.hpp"
#include "injection/mpi/pointers.hpp"

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
// Whether the pointers of the calling object have been looked at.
std::atomic<bool> g_is_redirected[libraries::kMaxCallers];

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
  // Objects that were loaded later. Objects that share entry 0 are left alone.
  if (index != 0 && !g_is_redirected[index].exchange(true, std::memory_order_relaxed))
    mpi::redirect_pointers_of(caller);
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

// True of functions that return the status of one message that they received.
constexpr bool receives(const mpi::Function& function) {
  return function.roles.status >= 0 &&
         (function.kind == Kind::kMessage || function.kind == Kind::kExchange);
}

// Passes an own status if the program ignores it.
template <class... Words>
[[gnu::always_inline]] inline void ask_for_status(std::int8_t index, void* own, Words&... words) {
  std::int8_t at = 0;
  ((words = at++ == index && mpi::is_ignored(words) ? reinterpret_cast<Word>(own) : words), ...);
}

// always_inline: the requests lie in the frame of the wrapper, and so does a status that the
// program does not ask for. prof does, to learn what came from whom.
template <Index function, class... Words>
[[gnu::always_inline]] inline long forward(Interface interface, const void* caller, void* frame,
                                           Words... words) {
  constexpr const mpi::Function& kFunction = mpi::kFunctions[function];
  const Target target = find_target(function, interface, caller);
  const auto real = reinterpret_cast<long (*)(Words...)>(target.real);
  if constexpr (kFunction.kind == Kind::kFinalize) mpi::set_finalized();
  if constexpr (kFunction.kind == Kind::kSessionFinalize) mpi::end_session();
  const std::uint64_t start =
      target.is_recorded ? mpi::begin_call(reinterpret_cast<std::uintptr_t>(frame)) : 0;
  if (start == 0) return real(words...);
  [[maybe_unused]] alignas(16) char own_status[receives(kFunction) ? mpi::kMaxStatusSize : 1];
  if constexpr (receives(kFunction)) ask_for_status(kFunction.roles.status, own_status, words...);
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

#define WRAPPER(symbol, function, interface, count)                         \
  long symbol(PARAMETERS_##count) {                                         \
    return forward<function>(interface, __builtin_return_address(0),        \
                             __builtin_frame_address(0) ARGUMENTS_##count); \
  }
#define MPI_FUNCTION(name, count, ...)                                                             \
  extern "C" [[gnu::visibility("default")]] WRAPPER(name, mpi::k##name, kPublic, count) extern "C" \
      [[gnu::visibility("default")]] WRAPPER(P##name, mpi::k##name, kProfiling, count)
#define MPI_REDIRECTED(name, count, ...)                                          \
  static WRAPPER(instead_of_##name, mpi::k##name, kPublic, count) static WRAPPER( \
      instead_of_P##name, mpi::k##name, kProfiling, count)
#include "injection/mpi/mpi.def"
#undef MPI_FUNCTION
#undef MPI_REDIRECTED

#define MPI_FUNCTION(...)
#define MPI_REDIRECTED(name, ...)                         \
  {"P" #name, reinterpret_cast<void*>(instead_of_##name), \
   reinterpret_cast<void*>(instead_of_P##name)},
const prof::mpi::Redirection prof::mpi::kRedirections[] = {
#include "injection/mpi/mpi.def"
};
const std::size_t prof::mpi::kRedirectionCount = sizeof kRedirections / sizeof *kRedirections;
