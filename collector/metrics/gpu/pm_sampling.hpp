// CUPTI's PM sampling of one GPU: the GPU writes its counters into a buffer at a fixed rate, for
// all programs that use it, and decode() reads them from there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "collector/metrics/gpu/counter_config.hpp"

namespace prof::metrics {

// What decode() writes: decoded counters of several samples, for CUPTI.
struct CounterImage {
  std::vector<std::uint8_t> bytes{};
  std::size_t samples = 0;  // decoded
  unsigned opening = 0;     // the number of open() calls before the image was made ready
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
  // (CUPTI_ERROR_UNKNOWN on an H100 with driver 580); a new object starts. start() comes next.
  base::Status reopen();

  // Are samples apart by a fixed time? Otherwise by a number of clock cycles.
  bool has_fixed_interval() const { return has_fixed_interval_; }

  // All images of the object must have the same capacity.
  base::Result<CounterImage> make_image(std::uint32_t capacity);
  // Makes the image ready for decode(). Any thread may do that, also during reopen().
  void clear(CounterImage& image) const;

  enum class Decoded {
    kDone,
    kOverflow,  // the GPU's buffer was full: nothing more comes before start()
    kFailed,
  };
  // Moves what the GPU has written into the image. What does not fit into the image is lost.
  Decoded decode(CounterImage& image);
  // Why decode() failed.
  const base::Error& error() const { return error_; }

  // The start of a sample: CLOCK_MONOTONIC_RAW, ns. The sample ends one interval later. The first
  // sample after start() has no known start.
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
  // clear() uses the object on other threads than reopen().
  mutable std::shared_mutex opening_;
  unsigned openings_ = 0;
  std::uint32_t capacity_ = 0;  // samples in an image; 0: there is none yet
  CUpti_PmSampling_Object* object_ = nullptr;
  bool has_fixed_interval_ = true;
  base::Error error_;
};

}  // namespace prof::metrics
