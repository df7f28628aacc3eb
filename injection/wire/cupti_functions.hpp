// The functions of CUPTI that the injected library calls, by number: the library names one that
// failed by its number, the collector by its text. Append only.
#pragma once

// From CUDA 12.0 on.
#define PROF_CUPTI_FUNCTIONS(X)        \
  X(cuptiGetVersion)                   \
  X(cuptiSubscribe)                    \
  X(cuptiEnableCallback)               \
  X(cuptiGetCallbackName)              \
  X(cuptiActivityEnable)               \
  X(cuptiActivityRegisterCallbacks)    \
  X(cuptiActivityGetNextRecord)        \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiActivityFlushAll)             \
  X(cuptiGetTimestamp)                 \
  X(cuptiGetGraphNodeId)               \
  X(cuptiGetGraphId)                   \
  X(cuptiSetThreadIdType)              \
  X(cuptiGetStreamIdEx)                \
  X(cuptiGetContextId)

// May be missing.
#define PROF_CUPTI_NEWER_FUNCTIONS(X)           \
  X(cuptiActivityRegisterTimestampCallback)     \
  X(cuptiActivityFlushPeriod)                   \
  X(cuptiGetGraphExecId)                        \
  X(cuptiActivityConfigureUnifiedMemoryCounter) \
  X(cuptiActivityEnableHWTrace)                 \
  X(cuptiSubscribe_v2)
