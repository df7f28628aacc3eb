#include "collector/metrics/gpu/pm_sampling.hpp"

#include <algorithm>
#include <utility>

namespace prof::metrics {

namespace {

// The buffer holds what the GPU writes in this time, so prof may be late by this time.
constexpr std::uint64_t kBufferedTime = 300'000'000;  // ns
constexpr std::uint64_t kSmallestBuffer = 8 << 20;    // bytes
constexpr std::uint64_t kLargestBuffer = 512 << 20;

}  // namespace

base::Result<std::unique_ptr<PmSampling>> PmSampling::create(const CuptiLibrary& cupti,
                                                             const GpuDevice& gpu,
                                                             const CounterConfig& config,
                                                             std::uint64_t interval) {
  std::unique_ptr<PmSampling> sampling(new PmSampling(cupti, gpu, config, interval));
  if (const base::Status opened = sampling->open(); !opened)
    return tl::make_unexpected(opened.error());
  return sampling;
}

PmSampling::~PmSampling() { close(); }

base::Status PmSampling::open() {
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_Enable, parameters);
  parameters.deviceIndex = gpu_.ordinal;
  if (const CUptiResult result = cupti_.cuptiPmSamplingEnable(&parameters); result != CUPTI_SUCCESS)
    return tl::make_unexpected(explain(cupti_, result, "cuptiPmSamplingEnable"));
  object_ = parameters.pPmSamplingObject;
  ++openings_;
  return choose_config();
}

void PmSampling::close() {
  if (object_ == nullptr) return;
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_Disable, parameters);
  parameters.pPmSamplingObject = std::exchange(object_, nullptr);
  cupti_.cuptiPmSamplingDisable(&parameters);
}

base::Status PmSampling::reopen() {
  const std::lock_guard lock(opening_);
  close();
  if (base::Status opened = open(); !opened) return opened;
  // clear() initializes images for the number of samples that CUPTI was last asked about.
  if (const auto bytes = image_bytes(capacity_); !bytes) return tl::make_unexpected(bytes.error());
  return {};
}

CUptiResult PmSampling::set_config(std::uint64_t distance, CUpti_PmSampling_TriggerMode mode,
                                   std::size_t bytes) const {
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_SetConfig, parameters);
  parameters.pPmSamplingObject = object_;
  parameters.configSize = config_.image.size();
  parameters.pConfig = config_.image.data();
  parameters.hardwareBufferSize = bytes;
  parameters.samplingInterval = distance;
  parameters.triggerMode = mode;
  parameters.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  return cupti_.cuptiPmSamplingSetConfig(&parameters);
}

// Turing and GA100 have no trigger by time, only one by cycles of the SYS clock. That clock is
// unknown and varies, so prof assumes the GPU's highest clock.
base::Status PmSampling::choose_config() {
  constexpr std::uint32_t kSome = 64;
  const auto some = image_bytes(kSome);
  if (!some) return tl::make_unexpected(some.error());
  // A sample in the GPU's buffer is about as large as in CUPTI's image.
  const std::uint64_t sample = *some / kSome + 1;
  const std::uint64_t bytes =
      std::clamp(sample * (kBufferedTime / interval_), kSmallestBuffer, kLargestBuffer);
  CUptiResult result =
      set_config(interval_, CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL, bytes);
  if (result == CUPTI_ERROR_NOT_SUPPORTED || result == CUPTI_ERROR_INVALID_PARAMETER) {
    const std::uint64_t cycles = interval_ * gpu_.clock_khz / 1'000'000;
    const CUptiResult by_cycles =
        set_config(cycles, CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL, bytes);
    has_fixed_interval_ = by_cycles != CUPTI_SUCCESS;
    if (by_cycles == CUPTI_SUCCESS) result = by_cycles;
  }
  if (result == CUPTI_SUCCESS) return {};
  return tl::make_unexpected(explain(cupti_, result, "cuptiPmSamplingSetConfig"));
}

base::Status PmSampling::start() {
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_Start, parameters);
  parameters.pPmSamplingObject = object_;
  if (const CUptiResult result = cupti_.cuptiPmSamplingStart(&parameters); result != CUPTI_SUCCESS)
    return tl::make_unexpected(explain(cupti_, result, "cuptiPmSamplingStart"));
  return {};
}

base::Status PmSampling::stop() {
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_Stop, parameters);
  parameters.pPmSamplingObject = object_;
  if (const CUptiResult result = cupti_.cuptiPmSamplingStop(&parameters); result != CUPTI_SUCCESS)
    return tl::make_unexpected(explain(cupti_, result, "cuptiPmSamplingStop"));
  return {};
}

base::Result<std::size_t> PmSampling::image_bytes(std::uint32_t capacity) const {
  auto names = config_.counters();
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_GetCounterDataSize, parameters);
  parameters.pPmSamplingObject = object_;
  parameters.pMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.maxSamples = capacity;
  if (const CUptiResult result = cupti_.cuptiPmSamplingGetCounterDataSize(&parameters);
      result != CUPTI_SUCCESS)
    return tl::make_unexpected(explain(cupti_, result, "cuptiPmSamplingGetCounterDataSize"));
  return parameters.counterDataSize;
}

base::Result<CounterImage> PmSampling::make_image(std::uint32_t capacity) {
  capacity_ = capacity;
  const auto bytes = image_bytes(capacity);
  if (!bytes) return tl::make_unexpected(bytes.error());
  CounterImage image{std::vector<std::uint8_t>(*bytes)};
  clear(image);
  return image;
}

void PmSampling::clear(CounterImage& image) const {
  image.samples = 0;
  const std::shared_lock lock(opening_);
  // The object could not be reopened, so no more samples are decoded.
  if (object_ == nullptr) return;
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_CounterDataImage_Initialize, parameters);
  parameters.pPmSamplingObject = object_;
  parameters.counterDataSize = image.bytes.size();
  parameters.pCounterData = image.bytes.data();
  cupti_.cuptiPmSamplingCounterDataImageInitialize(&parameters);
  image.opening = openings_;
}

PmSampling::Decoded PmSampling::decode(CounterImage& image) {
  if (image.opening != openings_) clear(image);
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_DecodeData, parameters);
  parameters.pPmSamplingObject = object_;
  parameters.pCounterDataImage = image.bytes.data();
  parameters.counterDataImageSize = image.bytes.size();
  const CUptiResult result = cupti_.cuptiPmSamplingDecodeData(&parameters);
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_GetCounterDataInfo, info);
  info.pCounterDataImage = image.bytes.data();
  info.counterDataImageSize = image.bytes.size();
  const bool is_readable = cupti_.cuptiPmSamplingGetCounterDataInfo(&info) == CUPTI_SUCCESS;
  image.samples = is_readable ? info.numCompletedSamples : 0;
  if (result == CUPTI_ERROR_OUT_OF_MEMORY || parameters.overflow != 0) return Decoded::kOverflow;
  if (result == CUPTI_SUCCESS) return Decoded::kDone;
  error_ = explain(cupti_, result, "cuptiPmSamplingDecodeData");
  return Decoded::kFailed;
}

std::uint64_t PmSampling::start_of(const CounterImage& image, std::size_t index) const {
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_CounterData_GetSampleInfo, parameters);
  parameters.pPmSamplingObject = object_;
  parameters.pCounterDataImage = image.bytes.data();
  parameters.counterDataImageSize = image.bytes.size();
  parameters.sampleIndex = index;
  cupti_.cuptiPmSamplingCounterDataGetSampleInfo(&parameters);
  return parameters.startTimestamp;
}

}  // namespace prof::metrics
