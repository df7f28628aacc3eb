// The collector's side of the sampling process: starts it, reads what it writes, ends it.
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
// None if they are not of this prof.
std::optional<SamplingRequest> read_sampling_arguments(const std::vector<std::string>& arguments);

class GpuSampling {
 public:
  // `program`: path of prof. The buffer outlives the object.
  static base::Result<std::unique_ptr<GpuSampling>> start(const std::string& program,
                                                          const SamplingRequest& request,
                                                          MetricBuffer& buffer);
  GpuSampling(const GpuSampling&) = delete;
  GpuSampling& operator=(const GpuSampling&) = delete;
  // Returns when the process has ended, so that the GPUs' counters are free again.
  ~GpuSampling();

  // Readable when there is something to read. -1: the process has ended.
  int fd() const { return output_.get(); }

  // Reads what has been written by now. Remarks if the process has ended before finish().
  void read();
  // Samples GPUs, or has said why not.
  bool is_ready() const { return ready_ || !output_; }
  // Why the options make no sense.
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
  base::UniqueFd input_;   // closing it ends the process
  base::UniqueFd output_;  // its messages
  MetricBuffer& buffer_;
  std::vector<std::byte> unread_;
  std::map<std::uint32_t, std::uint32_t> groups_;  // by the process's numbers
  std::map<std::uint32_t, std::uint32_t> values_;  // in a sample of a group
  bool ready_ = false;
  bool finishing_ = false;
  std::optional<base::Error> refusal_;
};

}  // namespace prof::metrics
