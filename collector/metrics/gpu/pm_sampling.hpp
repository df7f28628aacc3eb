// CUPTI's PM sampling of one GPU. The GPU writes its counters into a buffer at a fixed rate,
// whatever program uses the GPU, and decode() reads the buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "collector/metrics/gpu/counter_config.hpp"

namespace prof::metrics {

// The output of decode(): decoded counters of several samples, in CUPTI's format.
struct CounterImage {
  std::vector<std::uint8_t> bytes{};
  std::size_t samples = 0;  // decoded samples
  unsigned opening = 0;     // the number of open() calls before the image was initialized
};

class PmSampling {
 public:
  // Reserves the counters of the GPU. Samples are `interval` ns apart. The references outlive the
  // object.
  static base::Result<std::unique_ptr<PmSampling>> create(const CuptiLibrary& cupti,
                                                          const GpuDevice& gpu,
                                                          const CounterConfig& config,
                                                          std::uint64_t interval);
  ~PmSampling();
  PmSampling(const PmSampling&) = delete;
  PmSampling& operator=(const PmSampling&) = delete;

  base::Status start();
  base::Status stop();
  // Releases the counters and reserves them again. After an overflow CUPTI may refuse start()
  // (CUPTI_ERROR_UNKNOWN on an H100 with driver 580), but a new object starts. The caller calls
  // start() next.
  base::Status reopen();

  // True if samples are a fixed time apart. False if they are a fixed number of clock cycles apart.
  bool has_fixed_interval() const { return has_fixed_interval_; }

  // All images of the object must have the same capacity.
  base::Result<CounterImage> make_image(std::uint32_t capacity);
  // Initializes the image for decode(). Any thread may call this, also during reopen().
  void clear(CounterImage& image) const;

  enum class Decoded {
    kDone,
    kOverflow,  // the GPU's buffer was full: no more samples come before start()
    kFailed,
  };
  // Moves the samples that the GPU has written into the image. Those that do not fit are lost.
  Decoded decode(CounterImage& image);
  // The reason why decode() failed.
  const base::Error& error() const { return error_; }

  // Returns the start of a sample: CLOCK_MONOTONIC_RAW, ns. The sample ends one interval later. The
  // start of the first sample after start() is not known.
  std::uint64_t start_of(const CounterImage& image, std::size_t index) const;

 private:
  PmSampling(const CuptiLibrary& cupti, const GpuDevice& gpu, const CounterConfig& config,
             std::uint64_t interval)
      : cupti_(cupti), gpu_(gpu), config_(config), interval_(interval) {}
  base::Status open();
  void close();
  CUptiResult set_config(std::uint64_t distance, CUpti_PmSampling_TriggerMode mode,
                         std::size_t bytes) const;
  base::Result<std::size_t> image_bytes(std::uint32_t capacity) const;
  base::Status choose_config();

  const CuptiLibrary& cupti_;
  const GpuDevice gpu_;
  const CounterConfig& config_;
  const std::uint64_t interval_;  // ns
  // Protects the object: clear() uses it on other threads than reopen().
  mutable std::shared_mutex opening_;
  unsigned openings_ = 0;
  std::uint32_t capacity_ = 0;  // samples in an image; 0: no image yet
  CUpti_PmSampling_Object* object_ = nullptr;
  bool has_fixed_interval_ = true;
  base::Error error_;
};

}  // namespace prof::metrics
