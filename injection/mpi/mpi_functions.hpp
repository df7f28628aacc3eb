// The MPI functions that are recorded (mpi.def): what a call does, and what its arguments mean.
// Only some implementations have those of MPI_REDIRECTED, so libprof_mpi.so does not export them
// (pointers.hpp).
#pragma once

#include <cstdint>

#include "common/wire/mpi_records.hpp"

namespace prof::mpi {

enum class Kind : std::uint8_t {
  kMessage,       // sends or receives one message
  kExchange,      // sends one and receives one
  kCollective,    // all ranks of a communicator take part
  kRequests,      // starts, tests or waits for requests
  kCommunicator,  // makes a communicator
  kInit,
  kFinalize,
  kSessionInit,
  kSessionFinalize,
  kOther,  // nsys has rows without details
  kOwn,    // nsys has no rows
};

using Shape = wire::MpiShape;

inline constexpr std::uint8_t kSendCounts = 1;  // bits of Roles::arrays
inline constexpr std::uint8_t kReceiveCounts = 2;
inline constexpr std::uint8_t kTypes = 4;

// The index of the parameter that has each role; -1: none has it.
struct Roles {
  std::int8_t count = -1, type = -1;  // of what is sent, or of the only buffer; or of the requests
  std::int8_t count2 = -1, type2 = -1;  // of what is received
  std::int8_t send_buffer = -1, receive_buffer = -1;
  std::int8_t peer = -1, tag = -1;
  std::int8_t peer2 = -1, tag2 = -1;
  std::int8_t comm = -1, new_comm = -1;
  std::int8_t root = -1;
  std::int8_t request = -1;     // pointer to one
  std::int8_t requests = -1;    // pointer to `count` requests
  std::int8_t status = -1;      // of a receive that blocks, or of one request
  std::int8_t statuses = -1;    // array of those of several requests
  std::int8_t flag = -1;        // pointer to whether requests are done
  std::int8_t index = -1;       // pointer to the number of the request that is done
  std::int8_t indices = -1;     // array of the numbers of the requests that are done
  std::int8_t done_count = -1;  // pointer to how many these are
  std::int8_t partitions = -1;  // into how many parts, of `count` each, the buffer is divided
  std::uint8_t arrays = 0;  // which of these parameters are arrays with an element for each rank
  Shape shape = Shape::kNone;
  bool is_copy = false;   // the new communicator has the ranks of the old one
  bool is_large = false;  // counts have 64 bits, also those in arrays
};

struct Function {
  const char* name;  // "PMPI_Send": the name of the profiling interface
  Kind kind;
  Roles roles;

  constexpr const char* public_name() const { return name + 1; }
};

#define MPI_FUNCTION(name, parameters, kind, ...) {"P" #name, Kind::k##kind, {__VA_ARGS__}},
#define MPI_REDIRECTED MPI_FUNCTION
inline constexpr Function kFunctions[] = {
#include "injection/mpi/mpi.def"
};
#undef MPI_FUNCTION

// The index of each function.
#define MPI_FUNCTION(name, ...) k##name,
enum Index : std::uint32_t {
#include "injection/mpi/mpi.def"
  kFunctionCount
};
#undef MPI_REDIRECTED
#undef MPI_FUNCTION
static_assert(kFunctionCount <= wire::kFunctionsPerLibrary);

}  // namespace prof::mpi
