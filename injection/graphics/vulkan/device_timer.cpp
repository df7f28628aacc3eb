#include "injection/graphics/vulkan/device_timer.hpp"

#include "injection/core/clock.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/graphics/vulkan/device.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

// How often the clocks are compared, in thinning periods (10 ms).
constexpr std::uint64_t kPeriodsBetween = 10;

template <class Function>
bool find(const Device& device, const char* name, Function& function) {
  function = reinterpret_cast<Function>(device.next(device.handle, name));
  return function != nullptr;
}

}  // namespace

void report_obstacle(wire::VulkanObstacle obstacle) {
  static constinit std::atomic<std::uint32_t> g_reported{0};
  const std::uint32_t bit = 1U << static_cast<std::uint32_t>(obstacle);
  if ((g_reported.fetch_or(bit, std::memory_order_relaxed) & bit) == 0)
    core::report_each(wire::DiagnosticCode::kVulkanNoGpuTimes,
                      static_cast<std::uint64_t>(obstacle));
}

bool DeviceTimer::find_functions(const Device& device) {
  TimerFunctions& all = functions_;
  return find(device, "vkAllocateCommandBuffers", all.allocate_buffers) &&
         find(device, "vkBeginCommandBuffer", all.begin_buffer) &&
         find(device, "vkEndCommandBuffer", all.end_buffer) &&
         find(device, "vkCmdResetQueryPool", all.reset_queries) &&
         find(device, "vkCmdWriteTimestamp", all.write_timestamp) &&
         find(device, "vkCreateCommandPool", all.create_pool) &&
         find(device, "vkDestroyCommandPool", all.destroy_pool) &&
         find(device, "vkCreateQueryPool", all.create_queries) &&
         find(device, "vkDestroyQueryPool", all.destroy_queries) &&
         find(device, "vkGetQueryPoolResults", all.results) &&
         find(device, "vkGetCalibratedTimestampsEXT", all.clocks);
}

void DeviceTimer::find_families(const Device& device) {
  const Instance& instance = *device.instance;
  if (instance.properties == nullptr || instance.families == nullptr) return;
  VkPhysicalDeviceProperties facts;
  instance.properties(device.physical, &facts);
  constexpr double kMillion = 1e6;
  period_ =
      static_cast<std::uint64_t>(static_cast<double>(facts.limits.timestampPeriod) * kMillion);
  VkQueueFamilyProperties all[kMaxFamilies];
  std::uint32_t count = kMaxFamilies;
  instance.families(device.physical, &count, all);
  // Queries cannot be reset on queues that only copy.
  constexpr VkQueueFlags kResets = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  for (std::uint32_t i = 0; i < count; ++i)
    if ((all[i].queueFlags & kResets) != 0) bits_[i] = all[i].timestampValidBits;
}

DeviceTimer* DeviceTimer::create(const Device& device, PFN_vkSetDeviceLoaderData set_loader_data) {
  void* memory =
      core::sys::mmap(sizeof(DeviceTimer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (core::sys::failed(memory)) return nullptr;
  auto* timer = static_cast<DeviceTimer*>(memory);
  timer->device_ = device.handle;
  timer->functions_.set_loader_data = set_loader_data;
  if (!timer->find_functions(device) || set_loader_data == nullptr) {
    report_obstacle(wire::VulkanObstacle::kNoClock);
    core::sys::munmap(memory, sizeof(DeviceTimer));
    return nullptr;
  }
  timer->find_families(device);
  const VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                      nullptr,
                                      0,
                                      VK_QUERY_TYPE_TIMESTAMP,
                                      kBlocks * kBlockQueries,
                                      0};
  if (timer->functions_.create_queries(device.handle, &info, nullptr, &timer->queries_) !=
      VK_SUCCESS) {
    report_obstacle(wire::VulkanObstacle::kFailed);
    core::sys::munmap(memory, sizeof(DeviceTimer));
    return nullptr;
  }
  timer->number_ = device.number;
  timer->calibrate();
  return timer;
}

void DeviceTimer::destroy() {
  functions_.destroy_queries(device_, queries_, nullptr);
  core::sys::munmap(this, sizeof(DeviceTimer));
}

Block* DeviceTimer::take_block() {
  for (std::uint32_t word = 0; word < kBlocks / kWordBits; ++word) {
    std::uint64_t used = used_[word].load(std::memory_order_relaxed);
    while (~used != 0) {
      const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(~used));
      // Pairs with release_block().
      if (!used_[word].compare_exchange_weak(used, used | std::uint64_t{1} << bit,
                                             std::memory_order_acquire, std::memory_order_relaxed))
        continue;
      Block* block = &blocks_[word * kWordBits + bit];
      block->users.store(2, std::memory_order_relaxed);
      block->is_spoiled.store(false, std::memory_order_relaxed);
      return block;
    }
  }
  return nullptr;
}

void DeviceTimer::release_block(Block* block) {
  if (block->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const auto number = static_cast<std::uint32_t>(block - blocks_);
  used_[number / kWordBits].fetch_and(~(std::uint64_t{1} << number % kWordBits),
                                      std::memory_order_release);
}

void DeviceTimer::calibrate() {
  const std::uint64_t before = core::now();
  const std::uint64_t last = calibrated_.load(std::memory_order_relaxed);
  const std::uint64_t gap = core::g_process.config.thinning_period * kPeriodsBetween;
  if ((last != 0 && before - last < gap) || calibrating_.exchange(true, std::memory_order_acquire))
    return;
  const VkCalibratedTimestampInfoEXT info = {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
                                             nullptr, VK_TIME_DOMAIN_DEVICE_EXT};
  std::uint64_t ticks = 0, deviation = 0;
  // The first call may take long, because the driver sets something up.
  if (last == 0) functions_.clocks(device_, 1, &info, &ticks, &deviation);
  const std::uint64_t start = core::now();
  if (functions_.clocks(device_, 1, &info, &ticks, &deviation) == VK_SUCCESS) {
    const std::uint64_t end = core::now();
    ticks_.store(ticks, std::memory_order_relaxed);
    calibrated_.store(end, std::memory_order_release);
    core::append(wire::VulkanClockRecord{
        core::header_of<wire::VulkanClockRecord>(wire::RecordType::kVulkanClock, number_), ticks,
        start + (end - start) / 2, (end - start) / 2, period_});
  }
  calibrating_.store(false, std::memory_order_release);
}

std::uint64_t DeviceTimer::extended(std::uint64_t timestamp, std::uint32_t family) const {
  const std::uint64_t now = ticks_.load(std::memory_order_relaxed);
  const std::uint32_t unused = kWordBits - bits_[family];
  const auto difference = static_cast<std::int64_t>((timestamp - now) << unused) >> unused;
  return now + static_cast<std::uint64_t>(difference);
}

}  // namespace prof::vulkan
