// Sizes of Open MPI's predefined types, which never change and whose handles are addresses of
// variables. Asking Open MPI takes a third of the time that recording a call takes.
#pragma once

#include <cstdint>

namespace prof::mpi {

// Finds the types in `object`, Open MPI's library.
void find_predefined_types(void* object);

// Returns the size of the type, by asking `type_size` once; −1: it is not predefined, or Open MPI
// refuses.
std::int64_t predefined_type_size(std::uint64_t type, int (*type_size)(std::uint64_t, int*));

}  // namespace prof::mpi
