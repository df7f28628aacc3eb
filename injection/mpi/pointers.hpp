// Functions that only some implementations of MPI have (MPI_REDIRECTED in mpi.def). Programs look
// for their names to find out what their MPI can do, so libprof_mpi.so does not export them. It
// changes the pointers through which objects call them instead. A pointer that is null, because the
// implementation lacks the function, stays null.
//
// Functions that a program gets from dlsym are not seen.
#pragma once

#include <cstddef>

namespace prof::mpi {

struct Redirection {
  const char* name;  // "PMPI_Send_c"; without the first letter: the name of the public function
  void* instead;     // of the public function
  void* instead_profiling;  // of that with a P
};
// All of them, ordered by name (wrappers.cpp).
extern const Redirection kRedirections[];
extern const std::size_t kRedirectionCount;

// Changes the pointers of the object that contains the address, or of all if it is null.
void redirect_pointers_of(const void* address);

}  // namespace prof::mpi
