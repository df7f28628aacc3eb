// How many bytes an MPI call sends and receives.
#pragma once

#include "injection/mpi/implementation.hpp"
#include "injection/mpi/mpi_functions.hpp"

namespace prof::mpi {

// Returns a count that a call passes. The upper half of a word is not significant if it is an int.
inline std::int64_t count_of(const Roles& roles, Word count) {
  return roles.is_large ? static_cast<std::int64_t>(count) : static_cast<std::int32_t>(count);
}

// Returns the size of `count` elements of a type. A type is not looked at if the count is 0,
// because it may then be any word.
std::int64_t bytes_of(std::int64_t count, Word type);

// The sizes of a collective call, see wire::MpiCollectiveRecord.
struct Sizes {
  std::int64_t send = wire::kMpiNoSize, receive = wire::kMpiNoSize;
  std::int32_t rank = kNobody;  // own rank in the communicator
  std::int32_t size = kNobody;  // number of ranks that the shape counts; kNobody: nothing is known
  bool is_in_place = false;
};

// Call it after the call has succeeded. It only looks at arguments that are significant at this
// rank: others may be any word.
Sizes sizes_of(const Roles& roles, const Word* arguments);

}  // namespace prof::mpi
