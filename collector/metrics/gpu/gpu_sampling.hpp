// The collector's side of the sampling process: starts it, reads its messages, ends it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/metrics/gpu/gpu_messages.hpp"
#include "collector/metrics/gpu/options.hpp"
#include "collector/metrics/metric_buffer.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::metrics {

struct SamplingRequest {
  GpuMetricsOptions options{};
  std::vector<std::string> locations{};  // PCI locations of the machine's GPUs, lowest first
};

std::vector<std::string> sampling_arguments(const SamplingRequest& request);
// Returns nothing if the arguments are not from this prof.
std::optional<SamplingRequest> read_sampling_arguments(const std::vector<std::string>& arguments);

class GpuSampling {
 public:
  // `program`: path of prof. The buffer outlives the object.
  static base::Result<std::unique_ptr<GpuSampling>> start(const std::string& program,
                                                          const SamplingRequest& request,
                                                          MetricBuffer& buffer);
  GpuSampling(const GpuSampling&) = delete;
  GpuSampling& operator=(const GpuSampling&) = delete;
  // Waits until the process has ended, so that the GPUs' counters are free again.
  ~GpuSampling();

  // The descriptor is readable when a message has arrived. -1: the process has ended.
  int fd() const { return output_.get(); }

  // Reads the messages that have arrived. Adds a remark if the process has ended before finish().
  void read();
  // True if the process samples GPUs, or has reported why it does not.
  bool is_ready() const { return ready_ || !output_; }
  // The reason why the options do not suit the machine.
  const std::optional<base::Error>& refusal() const { return refusal_; }

  // Ends sampling and reads the rest, for a limited time.
  void finish();

 private:
  GpuSampling(pid_t pid, base::UniqueFd input, base::UniqueFd output, MetricBuffer& buffer)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)), buffer_(buffer) {}
  void take_messages();
  void take(const MessageHeader& header, std::span<const std::byte> payload);
  void take_group(std::uint32_t number, std::string_view json);
  void end();

  pid_t pid_;
  base::UniqueFd input_;   // when it is closed, the process ends
  base::UniqueFd output_;  // the messages of the process
  MetricBuffer& buffer_;
  std::vector<std::byte> unread_;
  std::map<std::uint32_t, std::uint32_t> groups_;  // by the group's number in the process
  std::map<std::uint32_t, std::uint32_t> values_;  // values per sample, by group
  bool ready_ = false;
  bool finishing_ = false;
  std::optional<base::Error> refusal_;
};

}  // namespace prof::metrics
