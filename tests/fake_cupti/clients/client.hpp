// What a library that uses CUPTI calls. Each client of the tests is a separate library, because
// prof tells clients apart by the code that calls.
#pragma once

#include <cupti.h>

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

}  // namespace fake

// Null if the library found no CUPTI.
extern "C" const fake::Cupti* fake_client();
