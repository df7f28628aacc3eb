// The MPI implementation of the program, without its header: found at run time, by what the loaded
// library exports.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::mpi {

using Word = std::uint64_t;  // an argument: an integer, a handle or a pointer

enum class Abi : std::uint32_t { kUnknown, kOpenMpi, kMpich, kStandard };

// Finds out which implementation the program calls. `caller` is code that calls it. Only the first
// call does so.
void find_implementation(const void* caller);

Abi abi();

// Handles have 32 bits in MPICH.
Word handle(Word argument);
// Reads the handle with this index in an array of the program. Null pointers give 0.
Word handle_at(Word array, std::size_t index);

bool is_in_place(Word buffer);
bool is_null_communicator(Word comm);
Word world();  // MPI_COMM_WORLD; 0: not known

inline constexpr std::int32_t kNobody = -1;
// Returns the rank that an argument names; kNobody if it names none: MPI_PROC_NULL, a wildcard.
inline std::int32_t rank_in(Word argument) {
  const auto rank = static_cast<std::int32_t>(argument);
  return rank >= 0 ? rank : kNobody;
}
bool is_any_source(Word argument);

// The source and tag in a status; null if the program passed none.
struct Envelope {
  std::int32_t source, tag;
};
const Envelope* envelope_in(Word status);
// The same of an element of an array of statuses.
const Envelope* envelope_in(Word statuses, std::size_t index);

// True between MPI_Init and MPI_Finalize, when the functions below may be called. They are local,
// and are called on the program's thread inside of its own call. Errors of MPI end the program, so
// each argument has to be one that the program has just used with success.
bool is_running();
void set_running();
void set_finalized();

std::int64_t type_size(Word type);  // -1: not known
std::int32_t size_of(Word comm);
std::int32_t rank_of(Word comm);
bool is_intercommunicator(Word comm);
// Returns the rank in MPI_COMM_WORLD of the communicator's rank 0; kNobody if it is not known.
std::int32_t root_of(Word comm);

}  // namespace prof::mpi
