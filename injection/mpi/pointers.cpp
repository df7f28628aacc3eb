#include "injection/mpi/pointers.hpp"

#include <algorithm>
#include <cstring>

#include "injection/core/symbols/redirection.hpp"

namespace prof::mpi {

namespace {

// True if the object is linked to an MPI library: only such objects are looked at. The library
// itself and its parts call MPI for themselves, so they are not, but for the Fortran bindings.
bool uses_mpi(const core::ElfObject& object) {
  for (const ElfW(Dyn)* entry = object.dynamic; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED &&
        std::strncmp(object.strings + entry->d_un.d_val, "libmpi", 6) == 0)
      return true;
  return false;
}

// Returns what is called instead of the function; null: nothing.
void* find_instead(const char* name) {
  const bool is_profiling = name[0] == 'P';
  const char* const plain = is_profiling ? name + 1 : name;
  if (std::strncmp(plain, "MPI_", 4) != 0) return nullptr;
  const Redirection* const end = kRedirections + kRedirectionCount;
  const Redirection* const found =
      std::lower_bound(kRedirections, end, plain, [](const Redirection& each, const char* wanted) {
        return std::strcmp(each.name + 1, wanted) < 0;
      });
  if (found == end || std::strcmp(found->name + 1, plain) != 0) return nullptr;
  return is_profiling ? found->instead_profiling : found->instead;
}

// The loader has bound all objects of the program before it runs the first constructor.
[[gnu::constructor]] void redirect_pointers() { redirect_pointers_of(nullptr); }

}  // namespace

void redirect_pointers_of(const void* address) {
  core::redirect_pointers({.changes = uses_mpi, .instead = find_instead}, address);
}

}  // namespace prof::mpi
