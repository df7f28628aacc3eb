#include "collector/session/chains/event_call_chains.hpp"

#include <algorithm>
#include <string_view>

#include "collector/spool/decoder.hpp"

namespace prof::session {

using spool::record_at;
using unwind::Stop;

namespace {

// The owner of a frame's code, as far as it matters for the end of a call chain.
enum class Owner { kProgram, kProf, kCupti, kDriver };

Owner owner_of(const unwind::ModuleMap& map, const unwind::Frame& frame, std::uint64_t time) {
  const unwind::Mapping* mapping = map.find(frame.lookup_address(), time);
  if (mapping == nullptr || !mapping->module) return Owner::kProgram;
  const std::string_view path = mapping->module->path();
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.starts_with("libprof_")) return Owner::kProf;
  if (file.starts_with("libcupti.so")) return Owner::kCupti;
  if (file.starts_with("libcuda.so")) return Owner::kDriver;
  return Owner::kProgram;
}

unwind::Registers registers_of(const wire::StackRegisters& taken) {
  unwind::Registers registers;
  for (std::size_t i = 0; i < std::size(taken.values); ++i)
    registers.set(wire::kStackRegisterNumbers[i], taken.values[i]);
  return registers;
}

}  // namespace

void EventCallChains::add(std::uint32_t serial, pid_t pid, std::uint32_t parent, std::uint64_t time,
                          const wire::ProcessSlot& slot) {
  process_images_[serial] = {pid, 0};
  if (chains_.follow_mappings) return;
  chains_.images.join(serial, pid, parent, clock_.raw(time),
                      [this, serial, &slot] { return unloaded_code(serial, slot); });
}

// The entries that a process writes are not trusted, but they describe only the process's own
// memory.
std::vector<unwind::ImageMaps::Unloaded> EventCallChains::unloaded_code(
    std::uint32_t serial, const wire::ProcessSlot& slot) {
  std::vector<unwind::ImageMaps::Unloaded> codes;
  std::uint64_t& last = process_images_[serial].last_unload;
  const std::uint64_t before = last;
  for (const wire::UnloadedCode& each : slot.unloaded) {
    // This acquire pairs with the stores in injection/process/unloading.cpp.
    const std::uint64_t time = each.time.load(std::memory_order_acquire);
    const std::uint64_t start = each.start.load(std::memory_order_relaxed);
    const std::uint64_t end = each.end.load(std::memory_order_relaxed);
    const bool is_of_image = each.serial.load(std::memory_order_relaxed) == serial;
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool is_whole = time > before && each.time.load(std::memory_order_relaxed) == time;
    if (!is_whole || !is_of_image || end <= start) continue;
    codes.push_back({clock_.raw(time), start, end});
    last = std::max(last, time);
  }
  return codes;
}

void EventCallChains::forget(std::uint32_t serial) {
  process_images_.erase(serial);
  chains_.images.forget(serial);
}

sampler::ChainOwner EventCallChains::thread_of(const spool::PieceHeader& piece) {
  return {process_images_[piece.serial].pid, piece.tid};
}

void EventCallChains::append(std::span<const std::byte> bytes) {
  rewritten_.insert(rewritten_.end(), bytes.begin(), bytes.end());
}

// Invalid records are kept as they are. The reader of the spool reports them.
std::span<const std::byte> EventCallChains::replace_stacks(const spool::PieceHeader& piece,
                                                           std::span<const std::byte> bytes) {
  chains_.images.keep_up(piece.serial);
  records_.assign(bytes.begin(), bytes.end());
  rewritten_.clear();
  std::span<const std::byte> left = records_;
  std::size_t kept = 0;  // bytes at the start of `left` that stay unchanged
  while (const std::size_t size = spool::record_size(left.subspan(kept))) {
    const auto record = left.subspan(kept, size);
    const auto header = record_at<wire::RecordHeader>(record.data());
    const bool is_stack = header.type == wire::RecordType::kStack &&
                          size >= sizeof(wire::StackRecord) &&
                          header.aux <= size - sizeof(wire::StackRecord);
    const bool is_node =
        header.type == wire::RecordType::kStackNode && size == sizeof(wire::StackNodeRecord);
    const bool is_sample = header.type == wire::RecordType::kCpuSample ||
                           header.type == wire::RecordType::kCpuSampleNode;
    if (!is_stack && !is_node && !is_sample) {
      kept += size;
      continue;
    }
    append(left.first(kept));
    if (is_sample)
      append_sample(piece, record);
    else
      append_node(piece, record);
    left = left.subspan(kept + size);
    kept = 0;
  }
  if (left.size() == records_.size()) return records_;
  append(left);
  chains_.write_definitions(recorder_);
  return rewritten_;
}

// Appends a node in place of a stack. A process does not know any nodes, so a number in a
// StackNodeRecord of its own is dropped.
void EventCallChains::append_node(const spool::PieceHeader& piece,
                                  std::span<const std::byte> bytes) {
  const auto header = record_at<wire::RecordHeader>(bytes.data());
  wire::StackNodeRecord node{
      {sizeof(wire::StackNodeRecord), wire::RecordType::kStackNode, header.flags, 0}, 0};
  if (header.type == wire::RecordType::kStack) {
    const auto record = record_at<wire::StackRecord>(bytes.data());
    node.start = record.start;
    node.header.aux = node_of(piece, record, bytes.subspan(sizeof record, header.aux));
  } else {
    node.start = record_at<wire::StackNodeRecord>(bytes.data()).start;
  }
  append(std::as_bytes(std::span(&node, 1)));
}

// Drops samples that were not requested or are invalid, and records that only the collector may
// write.
void EventCallChains::append_sample(const spool::PieceHeader& piece,
                                    std::span<const std::byte> bytes) {
  if (!samples_ || bytes.size() < sizeof(wire::CpuSampleRecord)) return;
  const auto record = record_at<wire::CpuSampleRecord>(bytes.data());
  const auto stack = bytes.subspan(sizeof record);
  if (record.header.type != wire::RecordType::kCpuSample || record.header.aux > stack.size())
    return;
  const wire::CpuSampleNodeRecord node{
      {sizeof(wire::CpuSampleNodeRecord), wire::RecordType::kCpuSampleNode, 0,
       samples_->node_of(piece.serial, thread_of(piece), clock_.raw(record.time), record,
                         stack.first(record.header.aux))},
      record.time,
      record.cpu,
      record.periods};
  append(std::as_bytes(std::span(&node, 1)));
}

std::uint32_t EventCallChains::node_of(const spool::PieceHeader& piece,
                                       const wire::StackRecord& record,
                                       std::span<const std::byte> stack) {
  const unwind::StackSlice slice(record.registers.stack(), stack);
  const std::uint64_t time = clock_.raw(record.start);
  if (!unwind(piece.serial, time, registers_of(record.registers), slice)) return 0;
  const unwind::ModuleMap& map = *map_of(piece.serial);
  const bool of_cuda = (record.header.flags & wire::kStackOfCuda) != 0;
  drop_inner_frames(map, time, record.header.flags);
  if (!of_cuda && chain_.frames.size() > osrt_depth_) {
    chain_.frames.resize(osrt_depth_);
    chain_.stop = Stop::kDepth;
  }
  return chains_.tree.add(thread_of(piece), map, time, {}, chain_);
}

const unwind::ModuleMap* EventCallChains::map_of(std::uint32_t serial) {
  if (!chains_.follow_mappings) return chains_.images.find(serial);
  const auto image = process_images_.find(serial);
  return image == process_images_.end() ? nullptr : &chains_.spaces.find(image->second.pid);
}

bool EventCallChains::refresh_map(std::uint32_t serial) {
  if (!chains_.follow_mappings) return chains_.images.refresh_for_unknown(serial);
  chains_.follow_mappings();
  return true;
}

// Unwinds the stack. Tries again with the present mappings if an address is not known.
bool EventCallChains::unwind(std::uint32_t serial, std::uint64_t time,
                             const unwind::Registers& registers, const unwind::StackSlice& stack) {
  chains_.images.follow_unloading(serial);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const unwind::ModuleMap* map = map_of(serial);
    if (map == nullptr) return false;
    unwinder_.unwind(*map, time, registers, stack, chain_);
    const bool is_unknown = chain_.stop == Stop::kBadReturnAddress || chain_.stop == Stop::kNoFrame;
    if (!is_unknown || !refresh_map(serial)) break;
  }
  return true;
}

// Drops the frames of prof and of CUPTI. Of the driver's frames it keeps only the function that the
// program called, if the program called the driver.
void EventCallChains::drop_inner_frames(const unwind::ModuleMap& map, std::uint64_t time,
                                        std::uint8_t flags) {
  auto& frames = chain_.frames;
  const auto skip = [&](std::size_t from, auto&& is_inner) {
    while (from < frames.size() && is_inner(owner_of(map, frames[from], time))) ++from;
    return from;
  };
  std::size_t first = skip(0, [](Owner owner) { return owner == Owner::kProf; });
  if ((flags & wire::kStackOfCuda) != 0) {
    const std::size_t end = skip(first, [](Owner owner) { return owner != Owner::kProgram; });
    const bool called_driver = end > first && (flags & wire::kStackOfCudaRuntime) == 0 &&
                               owner_of(map, frames[end - 1], time) == Owner::kDriver;
    first = called_driver ? end - 1 : end;
  }
  frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace prof::session
