// PM sampling of libcupti.so.13 without a GPU: the recorded samples, one each interval from the
// start on, and from the beginning again when they end.
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "fake_state.hpp"
#include "pm_samples.hpp"
#include "ranges.hpp"
#include "sass_metrics.hpp"

using fake::counter_number;
using fake::fails;
using fake::misbehaviour;
using fake::pm_samples;

struct CUpti_PmSampling_Object {
  std::uint64_t interval = 0;
  std::uint64_t started = 0;  // fake::now(); 0: it is not running
  std::uint64_t stopped = 0;
  std::uint64_t taken = 0;  // samples that were decoded
};

namespace {

constexpr int kGpus = 2;
CUpti_PmSampling_Object g_objects[kGpus];
int g_decodes = 0;

// What the fake has in place of CUPTI's counter data image.
struct Image {
  std::uint64_t capacity;
  std::uint64_t samples;
};
struct ImageSample {
  std::uint64_t time;
  std::uint64_t row;  // of the recorded samples
};

Image& image_of(const std::uint8_t* bytes) {
  return *reinterpret_cast<Image*>(const_cast<std::uint8_t*>(bytes));
}
ImageSample& sample_of(const std::uint8_t* bytes, std::size_t index) {
  return reinterpret_cast<ImageSample*>(const_cast<std::uint8_t*>(bytes) + sizeof(Image))[index];
}

CUptiResult result_of(const char* function) {
  return fails(function) ? misbehaviour().result : CUPTI_SUCCESS;
}

// Samples since the start.
std::uint64_t count(const CUpti_PmSampling_Object& object) {
  const std::uint64_t end = object.stopped == 0 ? fake::now() : object.stopped;
  return object.started == 0 ? 0 : (end - object.started) / object.interval;
}

}  // namespace

extern "C" {

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  fake::set_profiler_initialized();
  return result_of("cuptiProfilerInitialize");
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* parameters) {
  parameters->pChipName = "GH100";
  return result_of("cuptiDeviceGetChipName");
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* parameters) {
  if (std::strcmp(parameters->pChipName, "GH100") != 0) return CUPTI_ERROR_INVALID_CHIP_NAME;
  parameters->pHostObject = new CUpti_Profiler_Host_Object;
  parameters->pHostObject->is_range =
      parameters->profilerType == CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  return result_of("cuptiProfilerHostInitialize");
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* parameters) {
  delete parameters->pHostObject;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(
    CUpti_Profiler_Host_ConfigAddMetrics_Params* parameters) {
  parameters->pHostObject->metrics += parameters->numMetrics;
  if (fake::has_throughput(parameters->ppMetricNames, parameters->numMetrics))
    parameters->pHostObject->has_throughput = true;
  if (parameters->pHostObject->is_range)
    return fake::can_count(parameters->ppMetricNames, parameters->numMetrics)
               ? result_of("cuptiProfilerHostConfigAddMetrics")
               : CUPTI_ERROR_INVALID_METRIC_NAME;
  for (std::size_t i = 0; i < parameters->numMetrics; ++i)
    if (counter_number(parameters->ppMetricNames[i]) < 0) return CUPTI_ERROR_UNKNOWN;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* parameters) {
  parameters->configImageSize = sizeof(std::uint64_t);
  return result_of("cuptiProfilerHostGetConfigImageSize");
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* parameters) {
  const std::uint64_t metrics = parameters->pHostObject->is_range
                                    ? fake::image_of(*parameters->pHostObject)
                                    : parameters->pHostObject->metrics;
  std::memcpy(parameters->pConfigImage, &metrics, sizeof metrics);
  return result_of("cuptiProfilerHostGetConfigImage");
}

// A GPU counts everything at the same time, unless the test says how many metrics are too many.
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* parameters) {
  std::uint64_t metrics = 0;
  std::memcpy(&metrics, parameters->pConfigImage, sizeof metrics);
  parameters->numOfPasses = (metrics & fake::kRangeImage) != 0      ? fake::passes_of(metrics)
                            : metrics > misbehaviour().most_metrics ? 2
                                                                    : 1;
  return result_of("cuptiProfilerHostGetNumOfPasses");
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* parameters) {
  if (parameters->pHostObject->is_range) {
    fake::evaluate(*parameters);
    return result_of("cuptiProfilerHostEvaluateToGpuValues");
  }
  const ImageSample& sample = sample_of(parameters->pCounterDataImage, parameters->rangeIndex);
  for (std::size_t i = 0; i < parameters->numMetrics; ++i) {
    const int counter = counter_number(parameters->ppMetricNames[i]);
    if (counter < 0) return CUPTI_ERROR_INVALID_METRIC_NAME;
    parameters->pMetricValues[i] =
        static_cast<double>(pm_samples().values[sample.row][static_cast<std::size_t>(counter)]);
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterAvailability(
    CUpti_PmSampling_GetCounterAvailability_Params* parameters) {
  parameters->counterAvailabilityImageSize = 16;
  return result_of("cuptiPmSamplingGetCounterAvailability");
}

CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* parameters) {
  parameters->pPmSamplingObject = &g_objects[parameters->deviceIndex];
  return result_of("cuptiPmSamplingEnable");
}

CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params*) { return CUPTI_SUCCESS; }

CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* parameters) {
  parameters->pPmSamplingObject->interval = parameters->samplingInterval;
  return result_of("cuptiPmSamplingSetConfig");
}

CUptiResult cuptiPmSamplingGetCounterDataSize(
    CUpti_PmSampling_GetCounterDataSize_Params* parameters) {
  parameters->counterDataSize = sizeof(Image) + parameters->maxSamples * sizeof(ImageSample);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingCounterDataImageInitialize(
    CUpti_PmSampling_CounterDataImage_Initialize_Params* parameters) {
  image_of(parameters->pCounterData) = {
      (parameters->counterDataSize - sizeof(Image)) / sizeof(ImageSample), 0};
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params* parameters) {
  CUpti_PmSampling_Object& object = *parameters->pPmSamplingObject;
  object.started = fake::now();
  object.stopped = object.taken = 0;
  return result_of("cuptiPmSamplingStart");
}

CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params* parameters) {
  parameters->pPmSamplingObject->stopped = fake::now();
  return CUPTI_SUCCESS;
}

// What does not fit into the image is lost.
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* parameters) {
  CUpti_PmSampling_Object& object = *parameters->pPmSamplingObject;
  Image& image = image_of(parameters->pCounterDataImage);
  const std::uint64_t all = count(object);
  const int number = ++g_decodes;
  if (number == misbehaviour().gone_at) return CUPTI_ERROR_UNKNOWN;
  if (number == misbehaviour().overflow_at) {
    parameters->overflow = 1;
    return CUPTI_ERROR_OUT_OF_MEMORY;
  }
  if (number == misbehaviour().hole_at) object.taken = std::min(object.taken + 5, all);
  for (; object.taken < all; ++object.taken)
    if (image.samples < image.capacity)
      sample_of(parameters->pCounterDataImage, image.samples++) = {
          object.started + (object.taken + 1) * object.interval,
          object.taken % pm_samples().values.size()};
  parameters->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataInfo(
    CUpti_PmSampling_GetCounterDataInfo_Params* parameters) {
  const Image& image = image_of(parameters->pCounterDataImage);
  parameters->numTotalSamples = image.capacity;
  parameters->numPopulatedSamples = parameters->numCompletedSamples = image.samples;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(
    CUpti_PmSampling_CounterData_GetSampleInfo_Params* parameters) {
  const ImageSample& sample = sample_of(parameters->pCounterDataImage, parameters->sampleIndex);
  parameters->endTimestamp = sample.time;
  parameters->startTimestamp = sample.time - parameters->pPmSamplingObject->interval;
  return CUPTI_SUCCESS;
}

}  // extern "C"
