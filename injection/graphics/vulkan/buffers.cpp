#include "injection/graphics/vulkan/buffers.hpp"

#include <sys/mman.h>

#include "injection/core/clock.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/graphics/vulkan/calls.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

constexpr std::size_t kKnownBuffers = 8192;
constexpr std::size_t kKnownPools = 1024;

struct Tables {
  HandleTable<Buffer, kKnownBuffers> buffers;
  HandleTable<DeviceTimer*, kKnownPools> pools;  // whose queues can time command buffers
};
constinit core::LazyArray<Tables, 1> g_tables;

template <class Handle>
const void* address_of(Handle handle) {
  return reinterpret_cast<const void*>(handle);
}

// The command buffer does not use its block any more.
void drop_block(Buffer& buffer) {
  if (buffer.block == nullptr) return;
  if (!buffer.is_submitted) leave_untimed(buffer);
  buffer.timer->release_block(buffer.block);
  buffer.block = nullptr;
}

void write_timestamp(const Buffer& buffer, VkCommandBuffer handle, std::uint32_t query) {
  buffer.timer->functions().write_timestamp(handle, kAllDone, buffer.timer->block_queries(),
                                            buffer.timer->first_query(buffer.block) + query);
}

// Command buffers that may be submitted again while they are in use cannot have queries.
void begin_block(Buffer& buffer, VkCommandBuffer handle, VkCommandBufferUsageFlags usage) {
  if ((usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0) return;
  Block* block = buffer.timer->take_block();
  if (block == nullptr) return;
  block->object = number_of(handle);
  block->label_count = 0;
  block->depth = 0;
  buffer.block = block;
  buffer.timer->functions().reset_queries(handle, buffer.timer->block_queries(),
                                          buffer.timer->first_query(block), kBlockQueries);
  write_timestamp(buffer, handle, 0);
}

void remove(HandleTable<Buffer, kKnownBuffers>& buffers, Buffer& buffer) {
  drop_block(buffer);
  buffers.remove(&buffer);
}

// The program has got command buffers.
void notice_buffers(const VkCommandBufferAllocateInfo& info, const VkCommandBuffer* handles) {
  Tables* tables = g_tables.get_if_used();
  if (tables == nullptr || info.level != VK_COMMAND_BUFFER_LEVEL_PRIMARY) return;
  DeviceTimer* const* timer = tables->pools.find(address_of(info.commandPool));
  if (timer == nullptr) return;
  for (std::uint32_t i = 0; i < info.commandBufferCount; ++i) {
    Buffer* buffer = tables->buffers.reserve(handles[i]);
    if (buffer == nullptr) return;
    *buffer = {*timer, info.commandPool, nullptr, false, false};
    tables->buffers.publish(buffer, handles[i]);
  }
}

void notice_pool(const Device& device, const VkCommandPoolCreateInfo& info, VkCommandPool pool) {
  const bool is_protected = (info.flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0;
  if (!times_buffers() || device.timer == nullptr || is_protected ||
      !device.timer->times_family(info.queueFamilyIndex))
    return;
  Tables* tables = g_tables.get();
  DeviceTimer** entry = tables == nullptr ? nullptr : tables->pools.reserve(address_of(pool));
  if (entry == nullptr) return;
  *entry = device.timer;
  tables->pools.publish(entry, address_of(pool));
}

}  // namespace

void forget_buffers(const DeviceTimer* timer) {
  Tables* tables = g_tables.get_if_used();
  if (tables == nullptr) return;
  tables->buffers.for_each([&](Buffer& buffer) {
    if (buffer.timer == timer) tables->buffers.remove(&buffer);
  });
  tables->pools.for_each([&](DeviceTimer*& pool) {
    if (pool == timer) tables->pools.remove(&pool);
  });
}

bool times_buffers() { return traces(wire::kGraphicsVulkanIndividual); }

Buffer* find_buffer(VkCommandBuffer handle) {
  Tables* tables = g_tables.get_if_used();
  return tables == nullptr ? nullptr : tables->buffers.find(handle);
}

void leave_untimed(Buffer& buffer) {
  if (buffer.block == nullptr) return;
  buffer.is_submitted = true;
  buffer.timer->release_block(buffer.block);
}

void begin_timed_label(VkCommandBuffer handle, const LabelFacts& facts) {
  Buffer* buffer = find_buffer(handle);
  if (buffer == nullptr || buffer->block == nullptr) return;
  Block& block = *buffer->block;
  const bool is_timed = !buffer->in_pass && block.label_count < kBlockLabels;
  if (block.depth < kBlockDepth)
    block.open[block.depth] = is_timed ? static_cast<std::uint8_t>(block.label_count) : kNoLabel;
  if (block.depth++ >= kBlockDepth || !is_timed) return;
  block.labels[block.label_count] = {facts.text, facts.color, facts.function, facts.has_color,
                                     false};
  write_timestamp(*buffer, handle, 2 + 2 * block.label_count++);
}

void end_timed_label(VkCommandBuffer handle) {
  Buffer* buffer = find_buffer(handle);
  if (buffer == nullptr || buffer->block == nullptr || buffer->block->depth == 0) return;
  Block& block = *buffer->block;
  if (--block.depth >= kBlockDepth || buffer->in_pass) return;
  const std::uint8_t number = block.open[block.depth];
  if (number == kNoLabel) return;
  write_timestamp(*buffer, handle, 3U + 2U * number);
  block.labels[number].is_timed = true;
}

void set_in_pass(VkCommandBuffer handle, bool in_pass) {
  if (Buffer* buffer = find_buffer(handle)) buffer->in_pass = in_pass;
}

VkResult create_command_pool(VkDevice handle, const VkCommandPoolCreateInfo* info,
                             const VkAllocationCallbacks* allocator, VkCommandPool* pool) {
  const Device& device = device_of(handle);
  const std::uint64_t start = begin_call();
  const VkResult result =
      real<PFN_vkCreateCommandPool>(device, kCreateCommandPool)(handle, info, allocator, pool);
  if (start != 0) end_call(kCreateCommandPool, start, number_of(handle));
  if (result == VK_SUCCESS) notice_pool(device, *info, *pool);
  return result;
}

void destroy_command_pool(VkDevice handle, VkCommandPool pool,
                          const VkAllocationCallbacks* allocator) {
  if (Tables* tables = g_tables.get_if_used(); tables != nullptr && pool != nullptr) {
    tables->buffers.for_each([&](Buffer& buffer) {
      if (buffer.pool == pool) remove(tables->buffers, buffer);
    });
    if (auto* entry = tables->pools.find(address_of(pool))) tables->pools.remove(entry);
  }
  real<PFN_vkDestroyCommandPool>(device_of(handle), kDestroyCommandPool)(handle, pool, allocator);
}

VkResult allocate_command_buffers(VkDevice handle, const VkCommandBufferAllocateInfo* info,
                                  VkCommandBuffer* buffers) {
  const std::uint64_t start = begin_call();
  const VkResult result = real<PFN_vkAllocateCommandBuffers>(
      device_of(handle), kAllocateCommandBuffers)(handle, info, buffers);
  if (start != 0) end_call(kAllocateCommandBuffers, start, number_of(handle));
  if (result == VK_SUCCESS) notice_buffers(*info, buffers);
  return result;
}

void free_command_buffers(VkDevice handle, VkCommandPool pool, std::uint32_t count,
                          const VkCommandBuffer* buffers) {
  if (Tables* tables = g_tables.get_if_used())
    for (std::uint32_t i = 0; i < count; ++i)
      if (Buffer* buffer = buffers[i] == nullptr ? nullptr : tables->buffers.find(buffers[i]))
        remove(tables->buffers, *buffer);
  real<PFN_vkFreeCommandBuffers>(device_of(handle), kFreeCommandBuffers)(handle, pool, count,
                                                                         buffers);
}

VkResult begin_command_buffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo* info) {
  const auto next = real<PFN_vkBeginCommandBuffer>(device_of(handle), kBeginCommandBuffer);
  Buffer* buffer = find_buffer(handle);
  if (buffer != nullptr) {
    drop_block(*buffer);
    buffer->is_submitted = buffer->in_pass = false;
  }
  const std::uint64_t start = begin_call();
  const VkResult result = next(handle, info);
  if (start == 0) return result;
  if (buffer != nullptr && result == VK_SUCCESS) begin_block(*buffer, handle, info->flags);
  write_call(kBeginCommandBuffer,
             {.start = start, .object = number_of(handle), .kind = wire::VulkanClass::kBeginBuffer},
             core::now());
  return result;
}

VkResult end_command_buffer(VkCommandBuffer handle) {
  const auto next = real<PFN_vkEndCommandBuffer>(device_of(handle), kEndCommandBuffer);
  const Buffer* buffer = find_buffer(handle);
  if (buffer != nullptr && buffer->block != nullptr) write_timestamp(*buffer, handle, 1);
  const std::uint64_t start = begin_call();
  const VkResult result = next(handle);
  if (start != 0) end_call(kEndCommandBuffer, start, number_of(handle));
  return result;
}

}  // namespace prof::vulkan
