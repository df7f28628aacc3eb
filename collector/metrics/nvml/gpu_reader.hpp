// The counters that NVML has for one GPU.
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
  unsigned index = 0;  // NVML's number, which nvidia-smi shows
};

// Returns the GPUs that answer, lowest number first.
std::vector<Gpu> gpus_of(const LibraryPointer& library);

// How bytes over PCIe are counted. On a GPU without such counters, NVML can measure for 20 ms in
// each direction, and the caller waits meanwhile.
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
  // Adds a counter that is a field of nvmlDeviceGetFieldValues. One call reads all fields.
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

// Makes the reader of the counters that the driver has in memory: a reading takes about 20 us for
// each counter. Power and temperature come first, as in nsys; clocks, utilization and memory
// follow.
std::unique_ptr<GpuReader> make_load_reader(const Gpu& gpu);
// Makes the reader of the reasons for lower clocks.
std::unique_ptr<GpuReader> make_throttling_reader(const Gpu& gpu);
// Makes the reader of energy, and of bytes of PCIe and NVLink. The driver asks the GPU for them,
// which takes 7 ms of CPU time (on an H200: energy 4 ms, NVLink 2 ms, PCIe 0.7 ms). These counters
// are sums, so that rare readings lose nothing.
std::unique_ptr<GpuReader> make_meter_reader(const Gpu& gpu, PciePolicy pcie);
// Makes the reader of values that rarely change: power limit, ECC errors, fan, encoder and decoder.
std::unique_ptr<GpuReader> make_state_reader(const Gpu& gpu);

}  // namespace prof::nvml
