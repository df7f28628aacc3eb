// PC sampling beside the trace: the GPU samples the instructions that its warps execute, without
// holding kernels back (CUPTI's continuous mode). CUPTI has one buffer of samples for each context.
// A thread of prof empties it every 100 ms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/core/record/strings.hpp"
#include "injection/cuda/cupti_api.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::pc {

// True if this session asks for samples.
inline bool is_wanted() { return core::g_process.config.cuda.pc_sampling != 0; }

// Enables the callbacks of contexts and modules. Called when CUPTI is enabled.
void enable_callbacks();
// Returns whether the callback is one of these.
bool on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data);
// A context that existed before CUPTI was enabled.
void add_existing(CUcontext context, std::uint32_t id, std::uint32_t device);

// Writes the samples until now, at the end of a collection. The program goes on, and so does
// sampling, but samples are thrown away until the next collection.
void pause();
// Writes the last samples and ends sampling in all contexts, at the end of the program. May be
// called on any thread.
void end();

// True if a context is sampled.
bool is_sampling();
// From now on no other context is sampled, because the program uses the GPU's counters itself.
void yield();

// --- The thread that empties the buffers (drain_thread.cpp).

// Starts the thread unless it runs. Returns false if the process cannot start another thread.
bool start_draining();
// Ends the thread, and waits for it for a limited time.
void stop_draining();
// Wakes the thread: it reads samples now, not after its interval.
void wake_drain();
// Writes what CUPTI has in all contexts, or throws it away between collections (contexts.cpp).
void drain();

// --- Samples of a context (sampled_context.cpp).

struct Buffer;
struct Reasons;

struct SampledContext {
  CUcontext handle;
  std::uint32_t id;
  std::uint32_t device;
  std::uint32_t period;  // power of two
  bool is_chosen;        // the period is long enough for the GPU
  bool has_own_size;     // of the GPU's buffer
  bool was_read;         // CUPTI has returned data
  bool is_full;          // the GPU's buffer was full, so CUPTI returns nothing any more
  std::uint64_t since;   // when the slice began
  std::uint64_t total;   // samples in the slice, with the next two
  std::uint64_t dropped;
  std::uint64_t non_user;
  std::uint32_t times_full;
  Reasons* reasons;
  Buffer* configured;  // belongs to CUPTI while sampling is enabled
  Buffer* read;        // CUPTI copies samples to it
};

// What ends at the moment. When a context ends, CUPTI may refuse a read; that is not reported.
enum class Ends { kNothing, kRecording, kContext };

// These return whether the context is sampled afterwards. A failure is reported.
bool enable(SampledContext& context);
bool read(SampledContext& context, Ends ends = Ends::kNothing);
// Throws away what CUPTI has.
void discard(SampledContext& context);
// Ends sampling after the last samples.
void disable(SampledContext& context, Ends ends);

// --- Cubins (cubins.cpp). Only keep_cubin() may be called by several threads at a time.

// Copies the cubin of a module that the program loads.
void keep_cubin(const void* bytes, std::size_t size);
// There are samples of the cubin.
void use_cubin(std::uint64_t crc);

// Writes a record of an instruction, as CUPTI describes it, and the `number` items of it.
template <class Record, class Instruction, class Item>
void append_instruction(wire::RecordType type, const Instruction& instruction, const Item* items,
                        std::uint32_t number) {
  use_cubin(instruction.cubinCrc);
  Record record{};
  record.header = core::header_of<Record>(type, number);
  record.cubin = instruction.cubinCrc;
  record.function = core::intern(instruction.functionName);
  record.offset = instruction.pcOffset;
  const auto bytes = static_cast<std::uint32_t>(number * sizeof(Item));
  wait_for_room(core::size_with_data<Record>(bytes));
  core::append_with_data(record, items, bytes);
}
// Sends the cubins that are wanted. Gives up when the arena has had no room for them for a while.
// Returns whether all are sent.
bool send_cubins();
// Says that there are samples of code without a cubin.
void report_missing_cubins();

}  // namespace prof::cuda::pc
