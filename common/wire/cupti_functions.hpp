// Numbers of the CUPTI functions that the injection library calls. If a function fails, the library
// reports its number, and the collector prints its name. Only append to the lists.
#pragma once

// Functions that CUPTI has from CUDA 12.0 on.
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

// Functions that older versions of CUPTI lack.
#define PROF_CUPTI_NEWER_FUNCTIONS(X)             \
  X(cuptiActivityRegisterTimestampCallback)       \
  X(cuptiActivityFlushPeriod)                     \
  X(cuptiGetGraphExecId)                          \
  X(cuptiActivityConfigureUnifiedMemoryCounter)   \
  X(cuptiActivityEnableHWTrace)                   \
  X(cuptiSubscribe_v2)                            \
  X(cuptiEnableDomain)                            \
  X(cuptiActivityDisable)                         \
  X(cuptiActivityEnableAndDump)                   \
  X(cuptiActivityPushExternalCorrelationId)       \
  X(cuptiActivityPopExternalCorrelationId)        \
  X(cuptiActivitySetAttribute)                    \
  X(cuptiActivityGetAttribute)                    \
  X(cuptiActivityEnableRuntimeApi)                \
  X(cuptiActivityEnableDriverApi)                 \
  X(cuptiActivityEnableLatencyTimestamps)         \
  X(cuptiActivityEnableLaunchAttributes)          \
  X(cuptiActivityEnableDeviceGraph)               \
  X(cuptiActivityEnableAllocationSource)          \
  X(cuptiActivityEnableAllSyncRecords)            \
  X(cuptiActivityEnableCudaEventDeviceTimestamps) \
  X(cuptiGetDeviceId)                             \
  X(cuptiGetStreamId)                             \
  X(cuptiGetResultString)                         \
  X(cuptiUnsubscribe)                             \
  X(cuptiPCSamplingEnable)                        \
  X(cuptiPCSamplingDisable)                       \
  X(cuptiPCSamplingSetConfigurationAttribute)     \
  X(cuptiPCSamplingGetNumStallReasons)            \
  X(cuptiPCSamplingGetStallReasons)               \
  X(cuptiPCSamplingGetData)                       \
  X(cuptiGetCubinCrc)
