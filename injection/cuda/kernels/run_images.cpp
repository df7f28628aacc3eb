#include "injection/cuda/kernels/run_images.hpp"

#include <cstring>

#include "common/wire/hash.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/text.hpp"

namespace prof::cuda::kernels {

namespace {

using wire::KernelProfileReason;

constexpr std::size_t kMaxPath = 4096;

// The beginning of a file.
struct ImageHeader {
  std::uint64_t name;
  std::uint64_t size_of_launch;
  std::uint64_t device;
  std::uint64_t bytes;

  friend bool operator==(const ImageHeader&, const ImageHeader&) = default;
};

CounterImage g_image;

ImageHeader header_of(const Launch& launch, std::uint64_t bytes) {
  return {wire::hash_text(launch.name, std::strlen(launch.name)), key_of(launch), launch.device,
          bytes};
}

// The file of a launch: FOLDER/PROCESS-LAUNCH-PASS. Processes are numbered as they join the
// session.
struct ImagePath {
  ImagePath(const Plan& plan, const OrderedLaunch& launch, std::size_t pass) {
    constexpr std::size_t kRest = 64;
    const std::size_t length = plan.images == nullptr ? 0 : std::strlen(plan.images);
    if (length == 0 || length + kRest > sizeof text) return;
    core::Text path(text);
    path.add(plan.images).add("/").add_number(core::identity().serial);
    path.add("-").add_number(launch.order).add("-").add_number(pass);
    is_valid = true;
  }
  bool is_valid = false;
  char text[kMaxPath];
};

bool read_all(int file, void* to, std::size_t bytes, std::size_t offset) {
  auto* at = static_cast<char*>(to);
  while (bytes != 0) {
    const long got = core::sys::pread(file, at, bytes, static_cast<long>(offset));
    if (got <= 0) return false;
    at += got;
    offset += static_cast<std::size_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int file, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes != 0) {
    const long written = core::sys::write(file, at, bytes);
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_image(int file, const Launch& launch) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  ImageHeader header{};
  if (!read_all(file, &header, sizeof header, 0) || header.bytes > kMaxBytes ||
      header != header_of(launch, header.bytes))
    return false;
  return reserve_image(g_image, header.bytes) &&
         read_all(file, g_image.bytes, header.bytes, sizeof header);
}

// A process in a sandbox may not be allowed to open files.
bool may_open_files() { return !core::g_process.sandboxed.load(std::memory_order_relaxed); }

}  // namespace

Part part_of_run(const ChipPlan& made, std::size_t run) {
  for (std::size_t i = 0; i < made.num_groups; ++i) {
    const PassGroup& group = made.groups[i];
    if (run < group.config.passes)
      return {&group, run, run + 1 == group.config.passes, false, &g_image};
    run -= group.config.passes;
  }
  return {};
}

Failure load_image(const Plan& plan, const OrderedLaunch& launch, const Part& part) {
  if (part.pass == 0) return {};
  const ImagePath path(plan, launch, part.pass - 1);
  if (!path.is_valid || !may_open_files()) return {KernelProfileReason::kNoImage};
  const int file = core::sys::open(path.text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {KernelProfileReason::kOtherRun};
  const bool is_read = read_image(file, *launch.launch);
  core::sys::close(file);
  if (!is_read) return {KernelProfileReason::kOtherRun};
  return {};
}

Failure save_image(const Plan& plan, const OrderedLaunch& launch, const Part& part) {
  if (part.is_last) return {};
  const ImagePath path(plan, launch, part.pass);
  if (!path.is_valid || !may_open_files()) return {KernelProfileReason::kNoImage};
  const int file = core::sys::create_file(path.text);
  if (file < 0) return {KernelProfileReason::kNoImage};
  const ImageHeader header = header_of(*launch.launch, g_image.size);
  const bool is_written =
      write_all(file, &header, sizeof header) && write_all(file, g_image.bytes, g_image.size);
  core::sys::close(file);
  if (!is_written) return {KernelProfileReason::kNoImage};
  return {};
}

}  // namespace prof::cuda::kernels
