// Submits of work. If it is timed, either each command buffer of a submit has its own timestamps,
// or command buffers with timestamps go before and after all of them.
#include <algorithm>

#include "injection/core/clock.hpp"
#include "injection/graphics/vulkan/buffers.hpp"
#include "injection/graphics/vulkan/calls.hpp"
#include "injection/graphics/vulkan/queue_timer.hpp"
#include "injection/graphics/vulkan/queues.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

// Larger submits are not timed.
constexpr std::size_t kMaxSubmits = 32;
constexpr std::size_t kMaxSubmitted = 64;

template <class Element>
struct List {
  Element* first;
  std::size_t count;

  Element* begin() const { return first; }
  Element* end() const { return first + count; }
};

// What the two kinds of submits have in common.
List<const VkCommandBuffer> buffers_of(const VkSubmitInfo& info) {
  return {info.pCommandBuffers, info.commandBufferCount};
}
List<const VkCommandBufferSubmitInfo> buffers_of(const VkSubmitInfo2& info) {
  return {info.pCommandBufferInfos, info.commandBufferInfoCount};
}
void set_buffers(VkSubmitInfo& info, List<const VkCommandBuffer> buffers) {
  info.pCommandBuffers = buffers.first;
  info.commandBufferCount = static_cast<std::uint32_t>(buffers.count);
}
void set_buffers(VkSubmitInfo2& info, List<const VkCommandBufferSubmitInfo> buffers) {
  info.pCommandBufferInfos = buffers.first;
  info.commandBufferInfoCount = static_cast<std::uint32_t>(buffers.count);
}
VkCommandBuffer handle_of(VkCommandBuffer buffer) { return buffer; }
VkCommandBuffer handle_of(const VkCommandBufferSubmitInfo& info) { return info.commandBuffer; }
void set_handle(VkCommandBuffer& buffer, VkCommandBuffer handle) { buffer = handle; }
void set_handle(VkCommandBufferSubmitInfo& info, VkCommandBuffer handle) {
  info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, handle, 0};
}

// True if the submit says something about each of its command buffers, or needs special ones.
bool is_special(const void* chain) {
  for (auto* each = static_cast<const VkBaseInStructure*>(chain); each != nullptr;
       each = each->pNext)
    if (each->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO ||
        each->sType == VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO ||
        each->sType == VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR)
      return true;
  return false;
}
bool is_special(const VkSubmitInfo& info) { return is_special(info.pNext); }
bool is_special(const VkSubmitInfo2& info) {
  return (info.flags & VK_SUBMIT_PROTECTED_BIT) != 0 || is_special(info.pNext);
}

// The command buffers of a call.
struct Contents {
  std::size_t count = 0;
  bool is_timed = true;  // each has its own timestamps
  bool fits = true;      // in the space that prof has
  Buffer* buffers[kMaxSubmitted];

  void add(Buffer* buffer) {
    is_timed &= buffer != nullptr && buffer->block != nullptr && !buffer->is_submitted;
    if (count < kMaxSubmitted)
      buffers[count] = buffer;
    else
      fits = false;
    ++count;
  }
  List<Buffer* const> all() const { return {buffers, std::min(count, kMaxSubmitted)}; }
};

template <class Info>
void examine(List<const Info> infos, Contents& contents) {
  contents.fits = infos.count <= kMaxSubmits;
  for (const Info& info : infos) {
    contents.fits &= !is_special(info);
    for (const auto& each : buffers_of(info)) contents.add(find_buffer(handle_of(each)));
  }
  // A second submit of a recording overwrites the results of the first one.
  for (Buffer* each : contents.all())
    if (each != nullptr && each->block != nullptr && each->is_submitted)
      each->block->is_spoiled.store(true, std::memory_order_relaxed);
}

// The infos of a call with a command buffer more at the begin and at the end.
template <class Info>
class Bracketed {
  using Element =
      std::remove_cvref_t<decltype(*buffers_of(*static_cast<const Info*>(nullptr)).first)>;

 public:
  Bracketed(List<const Info> infos, const QueueTimer::Brackets& brackets) {
    std::copy(infos.begin(), infos.end(), infos_);
    const auto has_buffers = [](const Info& info) { return buffers_of(info).count != 0; };
    Info* const end = infos_ + infos.count;
    Info& first = *std::find_if(infos_, end, has_buffers);
    set_handle(first_[0], brackets.before);
    extend(first, first_, 1);
    Info* at = end - 1;
    while (!has_buffers(*at)) --at;
    Info& last = *at;
    set_handle(*extend(last, last_, 0), brackets.after);
    set_buffers(last, {last_, buffers_of(last).count + 1});
  }
  Bracketed(const Bracketed&) = delete;
  Bracketed& operator=(const Bracketed&) = delete;

  const Info* infos() const { return infos_; }

 private:
  // Copies the command buffers of the info to `place`, after `before` others. Returns the end.
  static Element* extend(Info& info, Element* place, std::size_t before) {
    const auto buffers = buffers_of(info);
    Element* end = std::copy(buffers.begin(), buffers.end(), place + before);
    set_buffers(info, {place, static_cast<std::size_t>(end - place)});
    return end;
  }

  Info infos_[kMaxSubmits];
  Element first_[kMaxSubmitted + 1];
  Element last_[kMaxSubmitted + 2];
};

// Submits with timestamps, if possible. `call(infos)` calls the real function.
template <class Info, class Call>
VkResult submit_timed(QueueTimer& timer, const QueueTimer::Submit& submit, List<const Info> infos,
                      Call call) {
  Contents contents;
  examine(infos, contents);
  const bool is_timed = contents.is_timed && times_buffers();
  QueueTimer::Brackets brackets{};
  const bool has_place = contents.count != 0 && contents.fits &&
                         timer.has_room(is_timed ? static_cast<std::uint32_t>(contents.count) : 1);
  const bool is_batch = has_place && !is_timed && timer.find_brackets(brackets);
  const VkResult result =
      is_batch ? call(Bracketed<Info>(infos, brackets).infos()) : call(infos.first);
  if (result != VK_SUCCESS) return result;
  if (is_batch) timer.add_batch(submit);
  for (Buffer* each : contents.all()) {
    if (each == nullptr || each->block == nullptr || each->is_submitted) continue;
    if (has_place && is_timed) {
      each->is_submitted = true;
      timer.add_block(submit, each->block);
    } else {
      leave_untimed(*each);
    }
  }
  return result;
}

// A submit that is not recorded also executes recordings that have timestamps.
template <class Info>
void leave_all_untimed(List<const Info> infos) {
  Contents contents;
  examine(infos, contents);
  for (Buffer* each : contents.all())
    if (each != nullptr && !each->is_submitted) leave_untimed(*each);
}

template <Index index, class Info>
VkResult submit(VkQueue handle, std::uint32_t count, const Info* infos, VkFence fence) {
  const auto next = real<VkResult(VKAPI_PTR*)(VkQueue, std::uint32_t, const Info*, VkFence)>(
      device_of(handle), index);
  const auto call = [&](const Info* all) { return next(handle, count, all, fence); };
  QueueTimer* timer = find_queue_timer(handle);
  const std::uint64_t start = begin_call();
  if (start == 0 || core::paused()) {
    if (times_buffers()) leave_all_untimed<Info>({infos, count});
    return call(infos);
  }
  const std::uint32_t correlation = next_correlation();
  const VkResult result =
      timer == nullptr ? call(infos)
                       : submit_timed<Info>(*timer, {index, correlation}, {infos, count}, call);
  write_call(index, {.start = start, .object = number_of(handle), .correlation = correlation},
             core::now());
  check(result);
  return result;
}

}  // namespace

VkResult queue_submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* submits,
                      VkFence fence) {
  return submit<kQueueSubmit>(queue, count, submits, fence);
}
VkResult queue_submit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* submits,
                       VkFence fence) {
  return submit<kQueueSubmit2>(queue, count, submits, fence);
}
VkResult queue_submit2_khr(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* submits,
                           VkFence fence) {
  return submit<kQueueSubmit2KHR>(queue, count, submits, fence);
}

}  // namespace prof::vulkan
