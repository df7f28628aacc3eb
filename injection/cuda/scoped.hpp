// prof as one of several subscribers of CUPTI (13.4 and later). All of them have to use the
// functions that have a subscriber, called scoped here. docs/decisions/0042 has the reasons.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "injection/cuda/cupti_v2.hpp"

namespace prof::cuda {

// The scoped functions. CUDA's older headers do not declare them.
#define PROF_SCOPED_FUNCTIONS(X)                                                                \
  X(cuptiActivityEnable_v2, (CUpti_SubscriberHandle, CUpti_ActivityKind, const void*))          \
  X(cuptiActivityEnableAndDump_v2, (CUpti_SubscriberHandle, CUpti_ActivityKind, const void*))   \
  X(cuptiActivityDisable_v2, (CUpti_SubscriberHandle, CUpti_ActivityKind, const void*))         \
  X(cuptiActivityEnableRuntimeApi_v2, (CUpti_SubscriberHandle, CUpti_CallbackId, std::uint8_t)) \
  X(cuptiActivityEnableDriverApi_v2, (CUpti_SubscriberHandle, CUpti_CallbackId, std::uint8_t))  \
  X(cuptiActivityRegisterCallbacks_v2, (CUpti_SubscriberHandle, v2::Request*, v2::Complete*))   \
  X(cuptiActivityGetNextRecord_v2,                                                              \
    (CUpti_SubscriberHandle, std::uint8_t*, std::size_t, CUpti_Activity**))                     \
  X(cuptiActivityGetNumDroppedRecords_v2,                                                       \
    (CUpti_SubscriberHandle, CUcontext, std::uint32_t, std::size_t*))                           \
  X(cuptiActivitySetAttribute_v2,                                                               \
    (CUpti_SubscriberHandle, CUpti_ActivityAttribute, std::size_t*, void*))                     \
  X(cuptiActivityGetAttribute_v2,                                                               \
    (CUpti_SubscriberHandle, CUpti_ActivityAttribute, std::size_t*, void*))                     \
  X(cuptiActivityPushExternalCorrelationId_v2,                                                  \
    (CUpti_SubscriberHandle, CUpti_ExternalCorrelationKind, std::uint64_t))                     \
  X(cuptiActivityPopExternalCorrelationId_v2,                                                   \
    (CUpti_SubscriberHandle, CUpti_ExternalCorrelationKind, std::uint64_t*))                    \
  X(cuptiGetTimestamp_v2, (CUpti_SubscriberHandle, std::uint64_t*))

struct ScopedApi {
#define X(name, params) CUptiResult(*name) params;
  PROF_SCOPED_FUNCTIONS(X)
#undef X
};
extern ScopedApi g_scoped_api;

// True if prof is one of several subscribers. Then libraries of the program have subscribers, too.
extern std::atomic<bool> g_scoped;
inline bool is_scoped() { return g_scoped.load(std::memory_order_relaxed); }

// Subscribes beside others, if the session asks for it and the library permits it. Then the
// functions of g_cupti call the scoped ones with our subscriber. Decided once in a process, before
// anything is enabled: a process that has used scoped functions cannot use the others. Returns
// whether our tracer is subscribed.
bool subscribe_beside_others(CUpti_CallbackFunc callback);

// Subscribes once more for kernels, copies and fills, and selects fields of their records. CUPTI
// permits that only before any subscriber has enabled a kind. It counts unified memory only if that
// was configured before.
void select_fields();
// True if that subscriber exists (selected_records.hpp).
bool are_fields_selected();
// Ends that subscriber.
void end_selections();

// Subscribes under a name, and allows others.
CUptiResult subscribe_scoped(CUpti_SubscriberHandle& handle, CUpti_CallbackFunc callback,
                             void* userdata, const char* name);

template <class Value>
CUptiResult set_scoped(CUpti_SubscriberHandle handle, CUpti_ActivityAttribute attribute,
                       Value value) {
  std::size_t size = sizeof value;
  return g_scoped_api.cuptiActivitySetAttribute_v2(handle, attribute, &size, &value);
}

// Flushes finished records every `milliseconds` for a user; 0: not for this user. CUPTI does so
// itself only while it has one subscriber (flush_timer.cpp). User 0 is our tracer.
inline constexpr unsigned kFlushUsers = 9;
CUptiResult set_flush_timer(unsigned user, std::uint32_t milliseconds);
// Ends the periodic flushes, because the process ends.
void stop_flush_timer();

}  // namespace prof::cuda
