#include "collector/metrics/gpu/gpu_sampling.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>
#include <utility>

#include "collector/metrics/gpu/gpu_process.hpp"
#include "collector/spool/notes.hpp"
#include "common/base/text/exec_words.hpp"

namespace prof::metrics {

using base::fail_errno;
using std::chrono::milliseconds;

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLongestFinish = std::chrono::seconds(10);
constexpr int kPipeBytes = 1 << 20;
constexpr std::size_t kArguments = 5;

// Returns the environment without tools that would be loaded with the driver. CUDA numbers GPUs by
// their PCI location and sees all of them, unless only the GPUs that the program sees are wanted.
std::vector<std::string> process_environment(bool only_visible) {
  std::vector<std::string> hidden = {"CUDA_INJECTION64_PATH=", "NVTX_INJECTION64_PATH="};
  if (!only_visible) hidden.insert(hidden.end(), {"CUDA_VISIBLE_DEVICES=", "CUDA_DEVICE_ORDER="});
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable(*each);
    if (std::ranges::none_of(hidden,
                             [&](const std::string& name) { return variable.starts_with(name); }))
      variables.emplace_back(variable);
  }
  if (!only_visible) variables.emplace_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
  return variables;
}

struct Pipe {
  base::UniqueFd read;
  base::UniqueFd write;

  static Pipe make() {
    int ends[2] = {-1, -1};
    static_cast<void>(!pipe2(ends, O_CLOEXEC));
    return {base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
  }
};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::string> sampling_arguments(const SamplingRequest& request) {
  std::string locations;
  for (const std::string& each : request.locations)
    locations += (locations.empty() ? "" : " ") + each;
  return {request.options.devices, std::to_string(request.options.frequency), request.options.set,
          request.options.cupti, locations};
}

std::optional<SamplingRequest> read_sampling_arguments(const std::vector<std::string>& arguments) {
  if (arguments.size() != kArguments) return std::nullopt;
  SamplingRequest request;
  request.options = {arguments[0], 0, arguments[2], arguments[3]};
  const std::string& number = arguments[1];
  std::from_chars(number.data(), number.data() + number.size(), request.options.frequency);
  std::istringstream locations(arguments[4]);
  for (std::string each; locations >> each;) request.locations.push_back(each);
  if (request.options.frequency == 0) return std::nullopt;
  return request;
}

base::Result<std::unique_ptr<GpuSampling>> GpuSampling::start(const std::string& program,
                                                              const SamplingRequest& request,
                                                              MetricBuffer& buffer) {
  Pipe input = Pipe::make();
  Pipe output = Pipe::make();
  if (!input.read || !output.read) return fail_errno("cannot make a pipe", errno);
  fcntl(output.write.get(), F_SETPIPE_SZ, kPipeBytes);
  fcntl(output.read.get(), F_SETFL, O_NONBLOCK);
  std::vector<std::string> words = sampling_arguments(request);
  words.insert(words.begin(), {program, kGpuProcessWord});
  std::vector<std::string> variables =
      process_environment(request.options.devices == "cuda-visible");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
  // A session's stderr belongs to the command that it serves, which must not wait for the process.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr,
                                base::exec_words(words).data(), base::exec_words(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail_errno("cannot start " + program, error);
  return std::unique_ptr<GpuSampling>(
      new GpuSampling(pid, std::move(input.write), std::move(output.read), buffer));
}

GpuSampling::~GpuSampling() {
  input_.reset();
  output_.reset();
  if (pid_ == 0) return;
  const auto give_up = Clock::now() + kLongestFinish;
  while (waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (Clock::now() > give_up) kill(pid_, SIGKILL);
    poll(nullptr, 0, 2);
  }
}

void GpuSampling::read() {
  constexpr std::size_t kAtOnce = 1 << 18;
  while (output_) {
    const std::size_t used = unread_.size();
    unread_.resize(used + kAtOnce);
    const ssize_t bytes = ::read(output_.get(), unread_.data() + used, kAtOnce);
    const int error = errno;
    unread_.resize(used + static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    if (bytes < 0 && error == EINTR) continue;
    if (bytes < 0 && error == EAGAIN) return;
    if (bytes <= 0) return end();
    take_messages();
  }
}

void GpuSampling::take_messages() {
  std::span<const std::byte> rest(unread_);
  while (rest.size() >= sizeof(MessageHeader)) {
    MessageHeader header{};
    memcpy(&header, rest.data(), sizeof header);
    if (header.bytes > kLongestMessage) return end();
    if (rest.size() - sizeof header < header.bytes) break;
    take(header, rest.subspan(sizeof header, header.bytes));
    rest = rest.subspan(sizeof header + header.bytes);
  }
  unread_.erase(unread_.begin(), unread_.end() - static_cast<std::ptrdiff_t>(rest.size()));
}

void GpuSampling::take(const MessageHeader& header, std::span<const std::byte> payload) {
  switch (header.kind) {
    case MessageKind::kGroup:
      return take_group(header.number, text_of(payload));
    case MessageKind::kSamples:
      if (groups_.contains(header.number))
        buffer_.add_samples(groups_[header.number], values_[header.number], payload);
      return;
    case MessageKind::kRemark:
      return buffer_.remark(static_cast<spool::Severity>(header.number), text_of(payload));
    case MessageKind::kReady:
      ready_ = true;
      return;
    case MessageKind::kRefused:
      refusal_ = base::Error{text_of(payload)};
      ready_ = true;
      return;
  }
}

void GpuSampling::take_group(std::uint32_t number, std::string_view json) {
  auto group = spool::NoteJson<spool::MetricSourceNote>::read(json);
  if (!group) return;
  values_[number] = static_cast<std::uint32_t>(group->counters.size());
  groups_[number] = buffer_.define(std::move(*group));
}

// Called when the process has closed its output.
void GpuSampling::end() {
  output_.reset();
  if (finishing_ || refusal_) return;
  int status = 0;
  input_.reset();
  const bool reaped = waitpid(pid_, &status, 0) == pid_;
  pid_ = 0;
  buffer_.remark(spool::Severity::kWarning,
                 fmt::format("GPU metrics end early, because the process that samples them {}.",
                             reaped && WIFSIGNALED(status)
                                 ? fmt::format("was killed (signal {})", WTERMSIG(status))
                                 : std::string("has ended")));
}

void GpuSampling::finish() {
  finishing_ = true;
  input_.reset();
  const auto give_up = Clock::now() + kLongestFinish;
  while (output_ && Clock::now() < give_up) {
    pollfd ready{output_.get(), POLLIN, 0};
    poll(&ready, 1, 100);
    read();
  }
  if (!output_) return;
  kill(pid_, SIGKILL);
  buffer_.remark(spool::Severity::kWarning,
                 "The last GPU metrics are missing, because the process that samples them does "
                 "not end.");
}

}  // namespace prof::metrics
