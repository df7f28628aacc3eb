// The queues that the program has got.
#pragma once

#include "injection/graphics/vulkan/device.hpp"
#include "injection/graphics/vulkan/queue_timer.hpp"

namespace prof::vulkan {

// Returns null if the work of the queue is not timed.
QueueTimer* find_queue_timer(VkQueue handle);

// Records the results of work that is done, of all queues of the device.
void read_results(const Device& device);

// Forgets the queues of a device that is destroyed.
void forget_queues(Device& device);

}  // namespace prof::vulkan
