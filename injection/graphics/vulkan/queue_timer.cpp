#include "injection/graphics/vulkan/queue_timer.hpp"

#include <algorithm>

#include "injection/core/syscalls.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

constexpr VkQueryResultFlags kNoWait =
    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;

}  // namespace

QueueTimer* QueueTimer::create(DeviceTimer& device, VkQueue queue, std::uint32_t family) {
  if (!device.times_family(family)) {
    report_obstacle(wire::VulkanObstacle::kNoQueries);
    return nullptr;
  }
  void* memory =
      core::sys::mmap(sizeof(QueueTimer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (core::sys::failed(memory)) return nullptr;
  auto* timer = static_cast<QueueTimer*>(memory);
  timer->device_ = &device;
  timer->queue_ = queue;
  timer->family_ = family;
  const VkQueryPoolCreateInfo queries = {
      VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 2 * kSlots, 0};
  const VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0,
                                        family};
  const TimerFunctions& call = device.functions();
  if (call.create_queries(device.device(), &queries, nullptr, &timer->queries_) == VK_SUCCESS &&
      call.create_pool(device.device(), &pool, nullptr, &timer->pool_) == VK_SUCCESS)
    return timer;
  report_obstacle(wire::VulkanObstacle::kFailed);
  timer->destroy();
  return nullptr;
}

void QueueTimer::destroy() {
  const TimerFunctions& call = device_->functions();
  call.destroy_pool(device_->device(), pool_, nullptr);
  call.destroy_queries(device_->device(), queries_, nullptr);
  core::sys::munmap(this, sizeof(QueueTimer));
}

bool QueueTimer::has_room(std::uint32_t slots) {
  const std::uint32_t head = head_.load(std::memory_order_relaxed);
  const auto used = [&] { return head - tail_.load(std::memory_order_acquire); };
  if (used() + slots > kSlots / 2) read();
  if (used() + slots <= kSlots) return true;
  report_obstacle(wire::VulkanObstacle::kFull);
  return false;
}

// A bracket may be submitted again before the driver has noticed that it is done.
bool QueueTimer::record_bracket(VkCommandBuffer buffer, std::uint32_t first_query, bool is_first) {
  const TimerFunctions& call = device_->functions();
  const VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                         VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, nullptr};
  if (call.begin_buffer(buffer, &info) != VK_SUCCESS) return false;
  if (is_first) call.reset_queries(buffer, queries_, first_query, 2);
  call.write_timestamp(buffer, kAllDone, queries_, first_query + (is_first ? 0 : 1));
  return call.end_buffer(buffer) == VK_SUCCESS;
}

bool QueueTimer::make_brackets(Slot& slot, std::uint32_t first_query) {
  const TimerFunctions& call = device_->functions();
  const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                            pool_, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 2};
  VkCommandBuffer buffers[2];
  if (call.allocate_buffers(device_->device(), &info, buffers) != VK_SUCCESS) return false;
  for (VkCommandBuffer each : buffers)
    if (call.set_loader_data(device_->device(), each) != VK_SUCCESS) return false;
  if (!record_bracket(buffers[0], first_query, true) ||
      !record_bracket(buffers[1], first_query, false))
    return false;
  slot.before = buffers[0];
  slot.after = buffers[1];
  return true;
}

bool QueueTimer::find_brackets(Brackets& brackets) {
  const std::uint32_t number = head_.load(std::memory_order_relaxed) % kSlots;
  Slot& slot = slots_[number];
  if (slot.before == nullptr && !make_brackets(slot, 2 * number)) {
    report_obstacle(wire::VulkanObstacle::kFailed);
    return false;
  }
  brackets = {slot.before, slot.after};
  return true;
}

void QueueTimer::add(const Submit& submit, Block* block) {
  const std::uint32_t head = head_.load(std::memory_order_relaxed);
  Slot& slot = slots_[head % kSlots];
  slot.submit = submit;
  if (core::t_state.serial != core::live_word()) core::adopt_thread();
  slot.tid = core::t_state.tid;
  slot.block = block;
  head_.store(head + 1, std::memory_order_release);  // pairs with read()
}

void QueueTimer::add_batch(const Submit& submit) { add(submit, nullptr); }
void QueueTimer::add_block(const Submit& submit, Block* block) { add(submit, block); }

void QueueTimer::write(const Slot& slot, std::uint64_t object, std::uint64_t start,
                       std::uint64_t end) {
  const std::uint8_t flags = slot.block == nullptr ? wire::kVulkanIsBatch : 0;
  write_result(
      slot.submit.function,
      wire::VulkanWorkloadRecord{
          core::header_of<wire::VulkanWorkloadRecord>(wire::RecordType::kVulkanWorkload, 0, flags),
          device_->extended(start, family_), device_->extended(end, family_), object, 0, 0,
          slot.submit.correlation, device_->number(), slot.tid});
}

void QueueTimer::write_label(const Slot& slot, const BlockLabel& label, std::uint64_t start,
                             std::uint64_t end) {
  const auto flags = static_cast<std::uint8_t>(wire::kVulkanIsLabel |
                                               (label.has_color ? wire::kVulkanWorkHasColor : 0));
  write_result(
      label.function,
      wire::VulkanWorkloadRecord{
          core::header_of<wire::VulkanWorkloadRecord>(wire::RecordType::kVulkanWorkload, 0, flags),
          device_->extended(start, family_), device_->extended(end, family_), slot.block->object,
          label.text, label.color, slot.submit.correlation, device_->number(), slot.tid});
}

std::uint32_t QueueTimer::read_batches(std::uint32_t tail, std::uint32_t head) {
  const std::uint32_t first = tail % kSlots;
  std::uint32_t count = 0;
  const std::uint32_t most = std::min({head - tail, kSlots - first, kReadAtOnce});
  while (count < most && slots_[first + count].block == nullptr) ++count;
  Result results[2 * kReadAtOnce];
  const VkResult status =
      device_->functions().results(device_->device(), queries_, 2 * first, 2 * count,
                                   sizeof(Result) * 2 * count, results, sizeof(Result), kNoWait);
  if (status != VK_SUCCESS && status != VK_NOT_READY) return 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Result* const pair = &results[2 * i];
    if (pair[0].is_available == 0 || pair[1].is_available == 0) return i;
    write(slots_[first + i], number_of(queue_), pair[0].ticks, pair[1].ticks);
  }
  return count;
}

std::uint32_t QueueTimer::read_block(Slot& slot) {
  Block& block = *slot.block;
  Result results[kBlockQueries];
  const std::uint32_t used = 2 + 2 * block.label_count;
  const VkResult status = device_->functions().results(
      device_->device(), device_->block_queries(), device_->first_query(&block), used,
      sizeof(Result) * used, results, sizeof(Result), kNoWait);
  if (status != VK_SUCCESS && status != VK_NOT_READY) return 0;
  if (results[0].is_available == 0 || results[1].is_available == 0) return 0;
  if (!block.is_spoiled.load(std::memory_order_relaxed)) {
    write(slot, block.object, results[0].ticks, results[1].ticks);
    for (std::uint32_t i = 0; i < block.label_count; ++i)
      if (block.labels[i].is_timed)
        write_label(slot, block.labels[i], results[2 + 2 * i].ticks, results[3 + 2 * i].ticks);
  }
  device_->release_block(&block);
  return 1;
}

void QueueTimer::read() {
  // Pairs with add().
  const std::uint32_t head = head_.load(std::memory_order_acquire);
  if (head == tail_.load(std::memory_order_relaxed) || core::is_dormant() ||
      core::is_foreign_thread() || reading_.exchange(true, std::memory_order_acquire))
    return;
  device_->calibrate();
  std::uint32_t tail = tail_.load(std::memory_order_relaxed);
  while (tail != head) {
    Slot& slot = slots_[tail % kSlots];
    const std::uint32_t done = slot.block == nullptr ? read_batches(tail, head) : read_block(slot);
    if (done == 0) break;
    tail += done;
    tail_.store(tail, std::memory_order_release);
  }
  reading_.store(false, std::memory_order_release);
}

}  // namespace prof::vulkan
