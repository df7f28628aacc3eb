// CUPTI's PM sampling of one GPU: the GPU writes its counters into a buffer at a fixed rate,
// whoever uses it, and decode() reads them from there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collector/metrics/gpu/counter_config.hpp"

namespace prof::metrics {

// What decode() writes: decoded counters of several samples, for CUPTI.
struct CounterImage {
  std::vector<std::uint8_t> bytes{};
  std::uint32_t capacity = 0;  // samples
  std::size_t samples = 0;     // decoded
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

  // What the GPU's buffer holds at most, about.
  std::uint32_t samples_in_buffer() const { return samples_in_buffer_; }
  // Are samples apart by a fixed time? Otherwise by a number of clock cycles.
  bool has_fixed_interval() const { return has_fixed_interval_; }

  base::Result<CounterImage> make_image(std::uint32_t capacity) const;
  // Makes the image ready for decode(). Any thread may do that.
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

  // The end of a sample: CLOCK_MONOTONIC_RAW, ns.
  std::uint64_t time_of(const CounterImage& image, std::size_t index) const;

 private:
  PmSampling(const CuptiLibrary& cupti, const CounterConfig& config)
      : cupti_(cupti), config_(config) {}
  CUptiResult set_config(std::uint64_t interval, CUpti_PmSampling_TriggerMode mode,
                         std::size_t bytes) const;
  base::Result<std::size_t> image_bytes(std::uint32_t capacity) const;
  base::Status choose_config(const GpuDevice& gpu, std::uint64_t interval);

  const CuptiLibrary& cupti_;
  const CounterConfig& config_;
  CUpti_PmSampling_Object* object_ = nullptr;
  std::uint32_t samples_in_buffer_ = 0;
  bool has_fixed_interval_ = true;
  base::Error error_;
};

}  // namespace prof::metrics
