// Records of kernels, copies and fills that have only the fields that prof writes. CUPTI makes them
// for a subscriber that selects fields, and wants a selection for each kind then, so prof has a
// second subscriber for these three (scoped.cpp). docs/decisions/0042 has the reasons.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

#include "injection/cuda/cupti_v2.hpp"

namespace prof::cuda {

// Returns what the kind is enabled with. Null if all fields of its records are wanted.
const v2::KindConfig* selection_of(CUpti_ActivityKind kind);

// Writes the records of a buffer of the second subscriber. Returns the reason why the last record
// is the last.
CUptiResult write_selected(CUpti_SubscriberHandle subscriber, std::uint8_t* memory,
                           std::size_t valid, const v2::BufferInfo* info);

// Called with such a buffer (activity_buffers.cpp).
void complete_selected(CUpti_SubscriberHandle subscriber, std::uint8_t* memory, std::size_t valid,
                       const v2::BufferInfo* info);

}  // namespace prof::cuda
