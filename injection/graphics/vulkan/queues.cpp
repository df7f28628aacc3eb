#include "injection/graphics/vulkan/queues.hpp"

#include "injection/core/clock.hpp"
#include "injection/graphics/vulkan/calls.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

struct Queue {
  Device* device;
  std::uint32_t family;
  bool is_examined;   // whether its work can be timed
  QueueTimer* timer;  // null: it cannot, or this is not known yet
};

constexpr std::size_t kMaxQueues = 256;
// Queues by their handles.
constinit HandleTable<Queue, kMaxQueues> g_queues{};

// The program has got the queue, perhaps not for the first time.
void notice_queue(VkDevice device, VkQueue queue, std::uint32_t family, bool is_protected) {
  if (queue == nullptr || g_queues.find(queue) != nullptr) return;
  Queue* entry = g_queues.reserve(queue);
  if (entry == nullptr) return;
  *entry = {.device = g_devices.find(key_of(device)),
            .family = family,
            .is_examined = is_protected,
            .timer = nullptr};
  g_queues.publish(entry, queue);
  if (const std::uint64_t now = begin_call(); now != 0)
    write_call(kQueueCreated,
               {.start = now, .object = number_of(queue), .kind = wire::VulkanClass::kQueue}, now);
}

// Called by the only thread that submits to the queue at this moment.
void examine(Queue& queue, VkQueue handle) {
  queue.is_examined = true;
  Device& device = *queue.device;
  if (device.timer == nullptr) return;
  for (std::atomic<QueueTimer*>& place : device.queues) {
    if (place.load(std::memory_order_relaxed) != nullptr) continue;
    QueueTimer* timer = QueueTimer::create(*device.timer, handle, queue.family);
    if (timer == nullptr) return;
    QueueTimer* nobody = nullptr;
    // Pairs with read_results().
    if (place.compare_exchange_strong(nobody, timer, std::memory_order_release,
                                      std::memory_order_relaxed))
      queue.timer = timer;
    else
      timer->destroy();  // another queue was faster; this one is not timed
    return;
  }
}

}  // namespace

QueueTimer* find_queue_timer(VkQueue handle) {
  Queue* queue = g_queues.find(handle);
  if (queue == nullptr) return nullptr;
  if (!queue->is_examined) [[unlikely]]
    examine(*queue, handle);
  return queue->timer;
}

void read_results(const Device& device) {
  for (const std::atomic<QueueTimer*>& each : device.queues) {
    QueueTimer* timer = each.load(std::memory_order_acquire);
    if (timer == nullptr) return;
    timer->read();
  }
}

void forget_queues(Device& device) {
  g_queues.for_each([&](Queue& queue) {
    if (queue.device == &device) g_queues.remove(&queue);
  });
  read_results(device);
  for (std::atomic<QueueTimer*>& each : device.queues)
    if (QueueTimer* timer = each.exchange(nullptr, std::memory_order_relaxed)) timer->destroy();
}

void get_device_queue(VkDevice device, std::uint32_t family, std::uint32_t number, VkQueue* queue) {
  real<PFN_vkGetDeviceQueue>(device_of(device), kGetDeviceQueue)(device, family, number, queue);
  notice_queue(device, *queue, family, false);
}

void get_device_queue2(VkDevice device, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  real<PFN_vkGetDeviceQueue2>(device_of(device), kGetDeviceQueue2)(device, info, queue);
  notice_queue(device, *queue, info->queueFamilyIndex,
               (info->flags & VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT) != 0);
}

}  // namespace prof::vulkan
