// Counters of the program (nvtxCounter*) and deferred events (nvtxEvent*Submit).
#pragma once

#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

std::uint64_t register_counter(Domain domain, const CounterAttributes* attributes);
void sample(Domain domain, std::uint64_t counter, std::int64_t value);
void sample(Domain domain, std::uint64_t counter, double value);
void sample(Domain domain, std::uint64_t counter, const void* values, std::size_t size);
void sample_without_value(Domain domain, std::uint64_t counter, std::uint8_t reason);
void submit(Domain domain, const CounterBatch* batch);

void submit(Domain domain, const PayloadData* payloads, std::size_t count);
void submit(Domain domain, const EventBatch* batch);

}  // namespace prof::nvtx
