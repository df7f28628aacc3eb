// What a library that uses CUPTI calls. Each client of the tests is a separate library, because
// prof tells clients apart by the code that calls.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

#define CLIENT_FUNCTIONS(X)                 \
  X(cuptiSubscribe)                         \
  X(cuptiUnsubscribe)                       \
  X(cuptiEnableCallback)                    \
  X(cuptiEnableDomain)                      \
  X(cuptiActivityEnable)                    \
  X(cuptiActivityDisable)                   \
  X(cuptiActivityRegisterCallbacks)         \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiActivityGetNextRecord)             \
  X(cuptiActivityGetNumDroppedRecords)      \
  X(cuptiActivityFlushAll)                  \
  X(cuptiActivityFlushPeriod)               \
  X(cuptiActivitySetAttribute)              \
  X(cuptiActivityGetAttribute)              \
  X(cuptiActivityEnableRuntimeApi)          \
  X(cuptiActivityPushExternalCorrelationId) \
  X(cuptiActivityPopExternalCorrelationId)  \
  X(cuptiGetTimestamp)                      \
  X(cuptiGetVersion)                        \
  X(cuptiGetResultString)                   \
  X(cuptiFinalize)

namespace fake {

struct Cupti {
#define X(name) decltype(&::name) name;
  CLIENT_FUNCTIONS(X)
#undef X
};

// The functions that have a subscriber. CUDA's headers may lack them.
using Handle = CUpti_SubscriberHandle;
using Request = void(std::uint8_t**, std::size_t*, std::size_t*, void*);
using Complete = void(std::uint8_t*, std::size_t, std::size_t, void*);
#define SCOPED_FUNCTIONS(X)                                                                 \
  X(cuptiSubscribe_v2, (Handle*, CUpti_CallbackFunc, void*, CUpti_SubscriberParams*))       \
  X(cuptiGetTimestamp_v2, (Handle, std::uint64_t*))                                         \
  X(cuptiActivityEnable_v2, (Handle, CUpti_ActivityKind, void*))                            \
  X(cuptiActivityDisable_v2, (Handle, CUpti_ActivityKind, void*))                           \
  X(cuptiActivityRegisterCallbacks_v2, (Handle, Request*, Complete*))                       \
  X(cuptiActivityGetNextRecord_v2, (Handle, std::uint8_t*, std::size_t, CUpti_Activity**))  \
  X(cuptiActivityGetNumDroppedRecords_v2, (Handle, CUcontext, std::uint32_t, std::size_t*)) \
  X(cuptiActivityGetAttribute_v2, (Handle, CUpti_ActivityAttribute, std::size_t*, void*))   \
  X(cuptiActivitySetAttribute_v2, (Handle, CUpti_ActivityAttribute, std::size_t*, void*))

struct ScopedCupti {
#define X(name, params) CUptiResult(*name) params;
  SCOPED_FUNCTIONS(X)
#undef X
};

}  // namespace fake

// Null if the library found no CUPTI.
extern "C" const fake::Cupti* fake_client();
// A function that the library has not found is null.
extern "C" const fake::ScopedCupti* fake_scoped_client();
