#include "collector/metrics/nvml/gpu_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prof::nvml {

using metrics::CounterKind;
using metrics::Reading;
using metrics::ReadOutcome;
using spool::CounterType;

namespace {

constexpr char kDomain[] = "NVML";

bool is_loss(Return result) {
  return result == Return::kGpuIsLost || result == Return::kResetRequired ||
         result == Return::kGpuNotFound;
}

double number_of(const FieldValue& field) {
  switch (field.type) {
    case ValueType::kDouble:
      return field.value.as_double;
    case ValueType::kUnsigned:
      return field.value.as_unsigned;
    case ValueType::kUnsignedLong:
      return static_cast<double>(field.value.as_unsigned_long);
    case ValueType::kUnsignedLongLong:
      return static_cast<double>(field.value.as_unsigned_long_long);
    case ValueType::kSignedLongLong:
      return static_cast<double>(field.value.as_signed_long_long);
    case ValueType::kSigned:
      return field.value.as_signed;
    case ValueType::kUnsignedShort:
      return field.value.as_unsigned_short;
  }
  return metrics::kNoValue;
}

}  // namespace

std::vector<Gpu> gpus_of(const LibraryPointer& library) {
  std::vector<Gpu> gpus;
  const std::vector<Device> devices = library->devices();
  for (unsigned i = 0; i < devices.size(); ++i)
    if (devices[i] != nullptr) gpus.push_back({library, devices[i], i});
  return gpus;
}

void GpuReader::add(CounterKind counter, Call call) {
  double value = 0;
  if (call(value) != Return::kSuccess) return;
  group_.counters.push_back(std::move(counter));
  calls_.push_back(std::move(call));
}

bool GpuReader::has_field(unsigned field, unsigned scope) const {
  FieldValue value{};
  value.field = field;
  value.scope = scope;
  return gpu_.library->field_values(gpu_.device, 1, &value) == Return::kSuccess &&
         value.result == Return::kSuccess;
}

void GpuReader::add_field(CounterKind counter, unsigned field, unsigned scope, double scale) {
  if (!has_field(field, scope)) return;
  FieldValue value{};
  value.field = field;
  value.scope = scope;
  field_values_.push_back(value);
  fields_.push_back({group_.counters.size(), scale});
  group_.counters.push_back(std::move(counter));
  calls_.emplace_back();
}

void GpuReader::read_fields(std::span<double> values) {
  if (fields_.empty()) return;
  const Return result = gpu_.library->field_values(
      gpu_.device, static_cast<int>(field_values_.size()), field_values_.data());
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Return each = result == Return::kSuccess ? field_values_[i].result : result;
    values[fields_[i].counter] = each == Return::kSuccess
                                     ? number_of(field_values_[i]) * fields_[i].scale
                                     : metrics::kNoValue;
    if (each != Return::kSuccess) last_failure_ = each;
  }
}

ReadOutcome GpuReader::read(std::span<double> values) {
  last_failure_ = Return::kSuccess;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    values[i] = metrics::kNoValue;
    if (!calls_[i]) continue;
    double value = 0;
    const Return result = calls_[i](value);
    if (result == Return::kSuccess)
      values[i] = value;
    else
      last_failure_ = result;
    if (is_loss(result)) return ReadOutcome::kGone;
  }
  read_fields(values);
  if (is_loss(last_failure_)) return ReadOutcome::kGone;
  const bool is_empty =
      std::all_of(values.begin(), values.end(), [](double each) { return std::isnan(each); });
  return is_empty ? ReadOutcome::kGone : ReadOutcome::kRead;
}

std::string GpuReader::loss() const {
  return fmt::format("NVML no longer reads GPU {}: {}. Its NVML metrics end here.", gpu_.index,
                     gpu_.library->describe(last_failure_));
}

namespace {

// A function of NVML that writes a counter as an unsigned number.
using ReadUnsigned = Return (*)(const Library&, Device, unsigned*);

// Reads the used memory from drivers before 510, which include the reserved memory.
Return memory_used_with_reserve(const Gpu& gpu, double& value) {
  Memory memory{};
  const Return result = gpu.library->memory(gpu.device, &memory);
  value = static_cast<double>(memory.used);
  return result;
}

class LoadReader final : public GpuReader {
 public:
  explicit LoadReader(const Gpu& gpu) : GpuReader(gpu) {
    group_.domain = kDomain;
    group_.device = fmt::format("GPU {}", gpu.index);
    add_power_and_clocks();
    add_load();
  }

 private:
  void add_unsigned(CounterKind counter, double scale, ReadUnsigned read) {
    add(std::move(counter), [gpu = gpu_, read, scale](double& value) {
      unsigned number = 0;
      const Return result = read(*gpu.library, gpu.device, &number);
      value = number * scale;
      return result;
    });
  }

  void add_power_and_clocks() {
    constexpr double kMilli = 1e-3;
    add_unsigned({"Power", "W", Reading::kLevel, CounterType::kUint32}, kMilli,
                 [](const Library& nvml, Device gpu, unsigned* to) { return nvml.power(gpu, to); });
    add_unsigned({"Temperature", "C", Reading::kLevel, CounterType::kUint32}, 1,
                 [](const Library& nvml, Device gpu, unsigned* to) {
                   constexpr int kCore = 0;
                   return nvml.temperature(gpu, kCore, to);
                 });
    add_unsigned({"SM Clock", "MHz"}, 1, [](const Library& nvml, Device gpu, unsigned* to) {
      return nvml.clock(gpu, Clock::kSm, to);
    });
    add_unsigned({"Memory Clock", "MHz"}, 1, [](const Library& nvml, Device gpu, unsigned* to) {
      return nvml.clock(gpu, Clock::kMemory, to);
    });
  }

  void add_load() {
    for (const auto& [name, part] : {std::pair("GPU Utilization", &Utilization::gpu),
                                     std::pair("Memory Utilization", &Utilization::memory)})
      add({name, "%"}, [gpu = gpu_, part = part](double& value) {
        Utilization utilization{};
        const Return result = gpu.library->utilization(gpu.device, &utilization);
        value = utilization.*part;
        return result;
      });
    add({"Memory Used", "bytes"}, [gpu = gpu_](double& value) {
      MemoryWithReserve memory{};
      if (gpu.library->memory_without_reserve(gpu.device, &memory) != Return::kSuccess)
        return memory_used_with_reserve(gpu, value);
      value = static_cast<double>(memory.used);
      return Return::kSuccess;
    });
  }
};

// A reader besides the load reader. It does not report that the GPU is lost: the load reader does.
class FurtherReader : public GpuReader {
 public:
  std::string loss() const override { return {}; }

 protected:
  FurtherReader(const Gpu& gpu, const char* subject) : GpuReader(gpu) {
    group_.domain = kDomain;
    group_.device = fmt::format("GPU {} {}", gpu.index, subject);
  }
};

class MeterReader final : public FurtherReader {
 public:
  MeterReader(const Gpu& gpu, PciePolicy pcie) : FurtherReader(gpu, "meters") {
    constexpr double kKibi = 1024;
    add({"Energy", "mJ"}, [gpu = gpu_](double& value) {
      unsigned long long energy = 0;
      const Return result = gpu.library->energy(gpu.device, &energy);
      value = static_cast<double>(energy);
      return result;
    });
    add_field(bytes("PCIe TX"), kFieldPcieTxBytes, 0, 1);
    add_field(bytes("PCIe RX"), kFieldPcieRxBytes, 0, 1);
    if (pcie == PciePolicy::kAlsoMeasure && !has_field(kFieldPcieTxBytes, 0)) {
      add_measured("PCIe TX", PcieCounter::kTx);
      add_measured("PCIe RX", PcieCounter::kRx);
    }
    add_field(bytes("NVLink TX"), kFieldNvLinkDataTx, kAllLinks, kKibi);
    add_field(bytes("NVLink RX"), kFieldNvLinkDataRx, kAllLinks, kKibi);
  }

 private:
  static CounterKind bytes(const char* name) { return {name, "bytes", Reading::kTotal}; }

  void add_measured(const char* name, PcieCounter direction) {
    add({name, "bytes/s"}, [gpu = gpu_, direction](double& value) {
      constexpr double kKilo = 1e3;
      unsigned rate = 0;
      const Return result = gpu.library->pcie_throughput(gpu.device, direction, &rate);
      value = rate * kKilo;
      return result;
    });
  }
};

struct ThrottleReason {
  const char* name;  // name in nvidia-smi -q
  unsigned long long bit;
};
constexpr ThrottleReason kThrottleReasons[] = {
    {"SW Power Cap", 0x4},         {"HW Slowdown", 0x8},
    {"Sync Boost", 0x10},          {"SW Thermal Slowdown", 0x20},
    {"HW Thermal Slowdown", 0x40}, {"HW Power Brake Slowdown", 0x80}};

// One call returns all reasons.
class ThrottlingReader final : public FurtherReader {
 public:
  explicit ThrottlingReader(const Gpu& gpu) : FurtherReader(gpu, "throttling") {
    group_.only_changes = true;
    unsigned long long reasons = 0;
    if (gpu.library->throttle_reasons(gpu.device, &reasons) != Return::kSuccess) return;
    for (const ThrottleReason& each : kThrottleReasons)
      group_.counters.push_back(
          {fmt::format("Throttled: {}", each.name), "", Reading::kLevel, CounterType::kUint32});
  }
  ReadOutcome read(std::span<double> values) override {
    unsigned long long reasons = 0;
    const Return result = gpu_.library->throttle_reasons(gpu_.device, &reasons);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = result != Return::kSuccess                 ? metrics::kNoValue
                  : (reasons & kThrottleReasons[i].bit) != 0 ? 1
                                                             : 0;
    return is_loss(result) ? ReadOutcome::kGone : ReadOutcome::kRead;
  }
};

class StateReader final : public FurtherReader {
 public:
  explicit StateReader(const Gpu& gpu) : FurtherReader(gpu, "state") {
    group_.only_changes = true;
    add_limit();
    add_field({"Memory Temperature", "C"}, kFieldMemoryTemperature, 0, 1);
    add_ecc("ECC Corrected", EccError::kCorrected);
    add_ecc("ECC Uncorrected", EccError::kUncorrected);
    add_fan();
    for (const auto& [name, codec] :
         {std::pair("Encoder", &Library::encoder), std::pair("Decoder", &Library::decoder)})
      add({name, "%"}, [gpu = gpu_, codec = codec](double& value) {
        unsigned use = 0;
        unsigned period = 0;
        const Return result = ((*gpu.library).*codec)(gpu.device, &use, &period);
        value = use;
        return result;
      });
  }

 private:
  void add_limit() {
    add({"Power Limit", "W"}, [gpu = gpu_](double& value) {
      constexpr double kMilli = 1e-3;
      unsigned limit = 0;
      const Return result = gpu.library->enforced_power_limit(gpu.device, &limit);
      value = limit * kMilli;
      return result;
    });
  }

  void add_ecc(const char* name, EccError kind) {
    add({name, "errors"}, [gpu = gpu_, kind](double& value) {
      unsigned long long errors = 0;
      const Return result =
          gpu.library->ecc_errors(gpu.device, kind, EccCounter::kVolatile, &errors);
      value = static_cast<double>(errors);
      return result;
    });
  }

  void add_fan() {
    add({"Fan", "%"}, [gpu = gpu_](double& value) {
      unsigned speed = 0;
      const Return result = gpu.library->fan(gpu.device, &speed);
      value = speed;
      return result;
    });
  }
};

}  // namespace

std::unique_ptr<GpuReader> make_load_reader(const Gpu& gpu) {
  return std::make_unique<LoadReader>(gpu);
}

std::unique_ptr<GpuReader> make_throttling_reader(const Gpu& gpu) {
  return std::make_unique<ThrottlingReader>(gpu);
}

std::unique_ptr<GpuReader> make_meter_reader(const Gpu& gpu, PciePolicy pcie) {
  return std::make_unique<MeterReader>(gpu, pcie);
}

std::unique_ptr<GpuReader> make_state_reader(const Gpu& gpu) {
  return std::make_unique<StateReader>(gpu);
}

}  // namespace prof::nvml
