// What an OpenMP thread does from one moment to another.
#pragma once

#include <cstdint>

#include "common/wire/openmp_records.hpp"

namespace prof::ingest {

struct OpenMpSpan {
  wire::OpenMpEvent event = wire::OpenMpEvent::kParallel;
  std::uint32_t kind = 0;  // aux of the record
  std::uint64_t parallel = 0;
  std::uint64_t task = 0;
  std::uint64_t object = 0;  // as in the record
  std::uint64_t code = 0;
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;
};

}  // namespace prof::ingest
