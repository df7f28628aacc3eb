#include "injection/mpi/predefined_types.hpp"

#include <atomic>
#include <cstddef>

#include "injection/core/symbols/loader.hpp"
#include "injection/mpi/implementation.hpp"

namespace prof::mpi {

namespace {

constexpr const char* kNames[] = {
    "ompi_mpi_char",          "ompi_mpi_signed_char",   "ompi_mpi_unsigned_char",
    "ompi_mpi_byte",          "ompi_mpi_short",         "ompi_mpi_unsigned_short",
    "ompi_mpi_int",           "ompi_mpi_unsigned",      "ompi_mpi_long",
    "ompi_mpi_unsigned_long", "ompi_mpi_long_long_int", "ompi_mpi_unsigned_long_long",
    "ompi_mpi_float",         "ompi_mpi_double",        "ompi_mpi_long_double",
    "ompi_mpi_int32_t",       "ompi_mpi_uint32_t",      "ompi_mpi_int64_t",
    "ompi_mpi_uint64_t",      "ompi_mpi_integer",       "ompi_mpi_real",
    "ompi_mpi_dblprec",       "ompi_mpi_cplex",         "ompi_mpi_dblcplex",
    "ompi_mpi_logical"};

struct KnownType {
  Word handle;  // 0: the place is free
  std::atomic<std::int32_t> size;
};
constexpr std::size_t kPlaces = 64;
static_assert(kPlaces >= 2 * sizeof kNames / sizeof *kNames);

// Handles are written by find_predefined_types(), before other functions are called.
KnownType g_types[kPlaces];

// Returns the place of the type, or the free one where it belongs. Most variables have 512 bytes.
KnownType& place_of(Word type) {
  std::size_t place = type >> 9;
  while (g_types[place % kPlaces].handle != type && g_types[place % kPlaces].handle != 0) ++place;
  return g_types[place % kPlaces];
}

}  // namespace

void find_predefined_types(void* object) {
  for (const char* name : kNames) {
    const Word type = address_of_variable(object, name);
    if (type == 0) continue;
    KnownType& place = place_of(type);
    place.handle = type;
    place.size.store(kNobody, std::memory_order_relaxed);
  }
}

std::int64_t predefined_type_size(Word type, int (*type_size)(Word, int*)) {
  KnownType& place = place_of(type);
  if (place.handle == 0) return -1;
  std::int32_t size = place.size.load(std::memory_order_relaxed);
  if (size == kNobody) [[unlikely]] {
    if (type_size(type, &size) != 0) return -1;
    place.size.store(size, std::memory_order_relaxed);
  }
  return size;
}

}  // namespace prof::mpi
