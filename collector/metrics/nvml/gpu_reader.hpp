// The counters of one GPU that NVML has.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collector/metrics/counter_reader.hpp"
#include "collector/metrics/nvml/nvml_library.hpp"

namespace prof::nvml {

using LibraryPointer = std::shared_ptr<const Library>;

struct Gpu {
  LibraryPointer library;
  Device device = nullptr;
  unsigned index = 0;  // NVML's, which nvidia-smi shows
};

// The GPUs that answer, lowest number first.
std::vector<Gpu> gpus_of(const LibraryPointer& library);

// How the driver counts what goes over PCIe. Where it has no counters, the GPU can measure for
// 20 ms in each direction, and the caller waits meanwhile.
enum class PciePolicy : std::uint8_t { kOnlyCounters, kAlsoMeasure };

class GpuReader : public metrics::CounterReader {
 public:
  metrics::ReadOutcome read(std::span<double> values) override;
  std::string loss() const override;

 protected:
  explicit GpuReader(const Gpu& gpu) : gpu_(gpu) {}
  using Call = std::function<Return(double& value)>;
  // Adds a counter if the GPU has it.
  void add(metrics::CounterKind counter, Call call);
  // The same for a field of nvmlDeviceGetFieldValues. All fields are read by one call.
  void add_field(metrics::CounterKind counter, unsigned field, unsigned scope, double scale);
  bool has_field(unsigned field, unsigned scope) const;

  Gpu gpu_;

 private:
  void read_fields(std::span<double> values);

  struct Field {
    std::size_t counter;
    double scale;
  };
  std::vector<Call> calls_;  // by counter; empty: a field
  std::vector<FieldValue> field_values_;
  std::vector<Field> fields_;
  Return last_failure_ = Return::kSuccess;
};

// The driver has these at hand: a reading takes it some 20 us for each counter. Power and
// temperature come first, as nsys has them; clocks, utilization and memory follow.
std::unique_ptr<GpuReader> make_load_reader(const Gpu& gpu);
// The reasons for lower clocks.
std::unique_ptr<GpuReader> make_throttling_reader(const Gpu& gpu);
// Energy, and bytes of PCIe and NVLink. The driver asks the GPU for them, which takes the CPU 7 ms
// (on an H200: energy 4 ms, NVLink 2 ms, PCIe 0.7 ms). They are sums, so that few readings lose
// nothing.
std::unique_ptr<GpuReader> make_meter_reader(const Gpu& gpu, PciePolicy pcie);
// What rarely changes: power limit, ECC errors, fan, encoder and decoder.
std::unique_ptr<GpuReader> make_state_reader(const Gpu& gpu);

}  // namespace prof::nvml
