// Writes what an OpenMP runtime does as records (wire/openmp_records.hpp).
#pragma once

#include <cstdint>

#include "common/wire/openmp_records.hpp"

namespace prof::openmp {

using wire::OpenMpEvent;

// True if the process belongs to a session that traces OpenMP, also if it is dormant.
bool is_traced();

// Numbers of the next region and the next task of the process.
std::uint64_t next_parallel();
std::uint64_t next_task();

// The meanings of the fields are those of the records. `code` is where the construct's call
// returns to.
void begin(OpenMpEvent event, std::uint32_t aux, std::uint64_t parallel, std::uint64_t task,
           std::uint64_t object, const void* code);
void end(OpenMpEvent event, std::uint32_t aux, std::uint64_t object);

}  // namespace prof::openmp
