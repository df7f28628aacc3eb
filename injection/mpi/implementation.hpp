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

// Returns the address of a predefined object of Open MPI: they are variables. The linker may have
// copied them into the program.
Word address_of_variable(void* object, const char* name);

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
// True if it is MPI_ROOT.
bool is_root_of_other_group(Word argument);

// The source and tag in a status.
struct Envelope {
  std::int32_t source, tag;
};
// Large enough for a status of any implementation.
inline constexpr std::size_t kMaxStatusSize = 64;
// True if the program did not ask for the status, or for the statuses.
bool is_ignored(Word status);
// Returns the address of an element of an array of statuses; 0 if the program did not ask for them.
Word status_at(Word statuses, std::size_t index);
// `status` may be 0 or ignored: then there is none.
const Envelope* envelope_in(Word status);

// True between MPI_Init and MPI_Finalize, or while the program has a session, when the functions
// below may be called. They are local,
// and are called on the program's thread inside of its own call. Errors of MPI end the program, so
// each argument has to be one that the program has just used with success.
bool is_running();
void set_running();
void set_finalized();
// A program that only has sessions has no MPI_COMM_WORLD.
bool has_world();
void begin_session();
void end_session();

std::int64_t type_size(Word type);  // -1: not known
std::int32_t size_of(Word comm);
std::int32_t rank_of(Word comm);
bool is_intercommunicator(Word comm);
std::int32_t remote_size_of(Word comm);  // of an intercommunicator: ranks of the other group
// Returns how many bytes the message of a status has, if it has whole elements of this type; -1:
// not known.
std::int64_t bytes_received(Word status, Word type);
bool is_cancelled(Word status);

// The ranks of a communicator in MPI_COMM_WORLD.
struct Members {
  std::int32_t root = kNobody;  // of its rank 0; kNobody: not known
  std::uint32_t hash = 0;       // of all, in their order
};
Members members_of(Word comm);

}  // namespace prof::mpi
