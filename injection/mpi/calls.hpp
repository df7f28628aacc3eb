// Records the calls of MPI functions. A call within another one, as the implementation and
// callbacks of the program make them, is not recorded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/mpi/implementation.hpp"
#include "injection/mpi/mpi_functions.hpp"

namespace prof::mpi {

// The most requests of a call of which the handles are kept.
inline constexpr std::size_t kMaxRequests = 4096;

struct Call {
  Index function;
  std::uint64_t start;
  const Word* arguments;
  // The requests before the call, because MPI changes them.
  const Word* requests;
  std::size_t request_count;
};

// Returns the current time if a call that begins now is recorded, else 0. `frame` is an address in
// the stack frame of the wrapper. If it is recorded, end_call() has to follow, unless the call does
// not return.
std::uint64_t begin_call(std::uintptr_t frame);

// Returns how many handles keep_requests() stores.
std::size_t count_of_requests(const Roles& roles, const Word* arguments);
void keep_requests(const Roles& roles, const Word* arguments, Word* handles, std::size_t count);

// Records the call. `result` is what MPI returned.
void end_call(const Call& call, long result);

}  // namespace prof::mpi
