// Times the work of one queue. Each submit takes slots of a ring; the results are read in the order
// of the submits, without waiting for them.
#pragma once

#include <atomic>
#include <cstdint>

#include "injection/graphics/vulkan/device_timer.hpp"

namespace prof::vulkan {

class QueueTimer {
 public:
  // Returns null if that is not possible.
  static QueueTimer* create(DeviceTimer& device, VkQueue queue, std::uint32_t family);
  void destroy();

  // Which call submits work.
  struct Submit {
    std::uint32_t function;
    std::uint32_t correlation;
  };

  // --- Called by the thread that submits. The program lets only one thread submit to a queue.

  // True if that number of slots is free.
  bool has_room(std::uint32_t slots);
  // The command buffers that go before and after those of a submit. Returns false if the driver
  // refuses them. add_batch() has to follow, if the submit succeeds.
  struct Brackets {
    VkCommandBuffer before;
    VkCommandBuffer after;
  };
  bool find_brackets(Brackets& brackets);
  void add_batch(const Submit& submit);
  // The command buffer of the block was submitted.
  void add_block(const Submit& submit, Block* block);

  // --- Called by any thread.

  // Records the results that are there.
  void read();

 private:
  static constexpr std::uint32_t kSlots = 512;
  static constexpr std::uint32_t kReadAtOnce = 64;

  struct Slot {
    Submit submit;
    std::uint32_t tid;
    Block* block;  // null: the brackets are timed
    VkCommandBuffer before;
    VkCommandBuffer after;
  };
  struct Result {
    std::uint64_t ticks;
    std::uint64_t is_available;
  };

  bool make_brackets(Slot& slot, std::uint32_t first_query);
  bool record_bracket(VkCommandBuffer buffer, std::uint32_t first_query, bool is_first);
  void add(const Submit& submit, Block* block);
  // These return how many slots they have dealt with, from `tail` on.
  std::uint32_t read_batches(std::uint32_t tail, std::uint32_t head);
  std::uint32_t read_block(Slot& slot);
  void write(const Slot& slot, std::uint64_t object, std::uint64_t start, std::uint64_t end);
  void write_label(const Slot& slot, const BlockLabel& label, std::uint64_t start,
                   std::uint64_t end);

  DeviceTimer* device_;
  VkQueue queue_;
  std::uint32_t family_;
  VkQueryPool queries_;  // two for each slot
  VkCommandPool pool_;
  std::atomic<std::uint32_t> head_;  // slots that were submitted
  std::atomic<std::uint32_t> tail_;  // slots that were read
  std::atomic<bool> reading_;
  Slot slots_[kSlots];
};

}  // namespace prof::vulkan
