#include "injection/cuda/kernels/launches.hpp"

#include <cstring>

#include "common/wire/handshake.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/cuda/kernels/batch.hpp"
#include "injection/cuda/kernels/launch_facts.hpp"
#include "injection/cuda/kernels/ownership.hpp"
#include "injection/cuda/kernels/profile_records.hpp"
#include "injection/cuda/kernels/profiler.hpp"
#include "injection/cuda/kernels/rotations.hpp"
#include "injection/cuda/kernels/run_images.hpp"
#include "injection/cuda/kernels/sass/memory_copy.hpp"
#include "injection/cuda/kernels/sass/sass_counter.hpp"
#include "injection/cuda/kernels/sass/sass_turns.hpp"
#include "injection/cuda/kernels/selection/selection.hpp"
#include "injection/cuda/kernels/watchdog.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::kernels {

namespace {

const Plan* g_plan;

// The launch that is being profiled. Only its owner reads it.
struct Open {
  Launch launch;
  Choice choice;
  CUcontext context;
  ChipPlan* made;
  Part part;
  Rotation* rotation;  // null: the launch makes no pass of several launches
  // Of application replay: the number among the selected launches of the process, from 1; else 0.
  std::uint32_t order;
  SassPlan* sass;    // null: instructions are not counted
  bool is_patched;   // the program's own launch counts instructions, so it has no counters
  bool runs_for_us;  // prof runs the kernel once more
  bool is_in_batch;
  Failure sass_failure;  // the counters work, but instructions could not be counted
  std::uint32_t correlation;
  std::uint64_t started;  // on the session's clock
  bool was_in_cupti;
};
constinit Open g_open{};
// CUPTI has refused a launch for good, and why. Only the owner writes them.
std::atomic<bool> g_is_over;
Failure g_last_failure;
std::atomic<std::uint32_t> g_selected;  // launches
std::atomic<bool> g_yields;             // to the program's own use of the counters

std::uint64_t chip_of(const Open& open) {
  if (open.sass != nullptr) return open.sass->chip;
  return open.made == nullptr ? 0 : open.made->chip;
}

std::uint32_t passes_of(const Open& open) {
  const std::size_t counted = open.made == nullptr || open.is_patched ? 0 : open.made->passes;
  return static_cast<std::uint32_t>(counted + (open.sass == nullptr ? 0 : 1));
}

wire::KernelReplay mode_of(const Open& open) {
  if (open.rotation != nullptr) return wire::KernelReplay::kRotate;
  if (open.order != 0) return wire::KernelReplay::kApplication;
  return passes_of(open) > 1 ? wire::KernelReplay::kKernel : wire::KernelReplay::kNone;
}

// The record of a launch that was profiled.
wire::KernelProfileRecord profile_of(const Open& open) {
  const Launch& launch = open.launch;
  const bool is_rotated = open.rotation != nullptr;
  return {
      core::header_of<wire::KernelProfileRecord>(wire::RecordType::kKernelProfile, open.correlation,
                                                 static_cast<std::uint8_t>(mode_of(open))),
      open.started,
      core::intern(launch.name),
      chip_of(open),
      launch.device,
      launch.context,
      launch.stream,
      {launch.grid[0], launch.grid[1], launch.grid[2]},
      {launch.block[0], launch.block[1], launch.block[2]},
      open.choice.invocation,
      passes_of(open),
      KernelProfileStatus::kOk,
      open.sass_failure.reason,
      static_cast<std::uint32_t>(open.sass_failure.function),
      static_cast<std::uint32_t>(open.sass_failure.result),
      is_rotated ? open.rotation->number : open.order,
      is_rotated ? passes_made(*open.made, *open.rotation)
                 : static_cast<std::uint32_t>(g_plan->run),
      0};
}

void write_profile(const Open& open, const Failure& failure) {
  wire::KernelProfileRecord record = profile_of(open);
  if (failure) {
    set_failure(record, failure);
    // A pass that failed is not a part of a rotated profile.
    if (open.rotation != nullptr) record.rotation = record.pass = 0;
  }
  core::append(record);
}

// Says why a launch cannot be profiled at all.
Failure refusal(const Launch& launch) {
  if (g_is_over.load(std::memory_order_relaxed)) return g_last_failure;
  if (g_yields.load(std::memory_order_relaxed))
    return {KernelProfileReason::kNone, RangeFunction::k_cuptiRangeProfilerEnable,
            CUPTI_ERROR_HARDWARE_BUSY};
  if (g_plan->replay == wire::KernelReplay::kKernel && waits_for_others(launch.name))
    return {KernelProfileReason::kWaitsForOthers};
  if (is_captured(launch.stream_handle)) return {KernelProfileReason::kCaptured};
  return {};
}

void report_counted_graph() {
  constexpr char kText[] =
      "A graph was launched while another thread profiled a kernel for more than 10 s. Its nodes "
      "may "
      "not have run, because counters keep them from it.";
  core::report_each(wire::DiagnosticCode::kRemark, core::intern(kText, sizeof kText - 1));
}

// While the counters of a context are on, the nodes of a graph do not run (seen with CUDA 13.0 on
// an H200), and a context must not end with them. So they are switched off, and on again at the
// next launch of a kernel. A stream that is captured does not allow what CUPTI does to stop them.
void prepare(CUpti_CallbackId id) {
  const bool needs_off = needs_counters_off(id);
  if (!needs_off && !needs_no_batch(id)) return;
  if (!are_counters_on()) return;
  core::ThreadState& t = core::t_state;
  if (!become_owner()) {
    if (needs_off) report_counted_graph();
    return;
  }
  t.in_cupti = true;
  close_batch();
  if (needs_off) disable_counters();
  t.in_cupti = false;
  release_ownership();
}

void give_up(const Failure& failure) {
  if (is_final(failure)) {
    g_last_failure = failure;
    g_is_over.store(true, std::memory_order_relaxed);
  }
  write_profile(g_open, failure);
}

// Finds the plan for SASS metrics on the launch's GPU.
Failure choose_sass() {
  g_open.sass = sass_plan_for(*g_plan, g_open.launch.device);
  if (g_open.sass == nullptr)
    return {KernelProfileReason::kNone, RangeFunction::k_cuptiSassMetricsSetConfig,
            CUPTI_ERROR_MAX_LIMIT_REACHED};
  return g_open.sass->failure;
}

void report_changed_memory() {
  constexpr char kText[] =
      "The memory of a kernel could not be restored after its instructions were counted, so the "
      "program's results may be wrong. Count metrics that begin with smsp__sass_ in another run.";
  core::report_each(wire::DiagnosticCode::kRemark, core::intern(kText, sizeof kText - 1));
}

// Counts instructions in a run of the kernel before the program's, whose memory is restored.
Failure run_for_sass(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const std::uint32_t device = g_open.launch.device;
  Failure failure = start_sass_counts(device, g_open.context, *g_open.sass);
  if (!failure) {
    g_open.runs_for_us = true;
    launch_again(id, data);  // if it fails, there are no counts
    g_open.runs_for_us = false;
    failure = stop_sass_counts(g_open.context);
  }
  if (!write_memory_back()) report_changed_memory();
  return failure;
}

bool is_first_pass() {
  return g_open.rotation == nullptr || passes_made(*g_open.made, *g_open.rotation) == 0;
}

// Beside counters. A failure leaves the launch to these.
Failure count_instructions(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  Failure failure = choose_sass();
  const bool may_replay = g_plan->replay == wire::KernelReplay::kKernel && can_copy_memory();
  bool is_counted = false;
  if (!failure && may_replay && copy_memory(g_open.context)) {
    failure = run_for_sass(id, data);
    is_counted = !failure;
  } else if (!failure && is_first_pass()) {
    add_sass_turn(g_open.launch);
  }
  if (!is_counted) g_open.sass = nullptr;
  return failure;
}

// Decides what the launch counts.
Failure choose_part() {
  const ChipPlan& made = *g_open.made;
  if (g_plan->replay == wire::KernelReplay::kApplication) {
    g_open.part = part_of_run(made, g_plan->run);
    if (g_open.part.group == nullptr) return {KernelProfileReason::kOtherRun};
    return load_image(*g_plan, {&g_open.launch, g_open.order}, g_open.part);
  }
  if (g_plan->replay != wire::KernelReplay::kRotate || made.passes == 1) {
    g_open.part = {&made.groups[0], 0, true, made.passes != 1, nullptr};
    return {};
  }
  g_open.rotation = rotation_of(g_open.launch);
  if (g_open.rotation == nullptr) return {KernelProfileReason::kManyKernels};
  g_open.part = next_part(made, *g_open.rotation);
  return {};
}

// True if the launch can be counted beside others.
bool fits_into_batch(const ChipPlan& made) {
  return made.passes == 1 && g_plan->num_sass_metrics == 0 &&
         g_plan->replay != wire::KernelReplay::kApplication;
}

Failure start(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const Launch& launch = g_open.launch;
  if (takes_sass_turn(*g_plan, launch)) {
    g_open.is_patched = true;
    if (Failure failure = choose_sass()) return failure;
    return start_sass_counts(launch.device, g_open.context, *g_open.sass);
  }
  Failure failure = find_plan(*g_plan, launch.device, data.context, g_open.made);
  if (failure) return failure;
  g_open.is_in_batch = fits_into_batch(*g_open.made);
  if (g_open.is_in_batch) return open_batch(data.context, *g_open.made);
  failure = choose_part();
  if (failure) return failure;
  if (g_plan->num_sass_metrics != 0) g_open.sass_failure = count_instructions(id, data);
  return start_counting(data.context, *g_open.made, g_open.part);
}

Open opened(const Launch& launch, const Choice& choice, const CUpti_CallbackData& data) {
  Open open{};
  open.launch = launch;
  open.choice = choice;
  open.context = data.context;
  open.correlation = data.correlationId;
  if (g_plan->replay == wire::KernelReplay::kApplication)
    open.order = g_selected.fetch_add(1, std::memory_order_relaxed) + 1;
  open.started = core::now();
  open.was_in_cupti = core::t_state.in_cupti;
  return open;
}

void begin(const Launch& launch, const Choice& choice, CUpti_CallbackId id,
           const CUpti_CallbackData& data) {
  if (!become_owner()) {
    // A launch that only has the turn can have it later.
    if (choice.is_selected)
      write_profile(opened(launch, choice, data), {KernelProfileReason::kWaitedTooLong});
    return;
  }
  // Another thread may have had the turn.
  if (!choice.is_selected && !has_sass_turn(launch)) return release_ownership();
  core::ThreadState& t = core::t_state;
  g_open = opened(launch, choice, data);
  t.in_cupti = true;  // what prof and CUPTI call until the end of the launch is not the program's
  Failure failure = refusal(launch);
  if (!failure) {
    watch_launch(launch.name);
    failure = start(id, data);
  }
  if (!failure) return;
  t.in_cupti = g_open.was_in_cupti;
  give_up(failure);
  watch_launch(nullptr);
  release_ownership();
}

// Returns what the last launch took, ns; 0: not known. Patched code takes longer, and a group of
// several passes has values of several launches.
std::uint64_t duration_of_open() {
  if (g_open.is_patched) return 0;
  const bool is_one_launch = g_open.part.is_replayed || g_open.part.group->config.passes == 1;
  return is_one_launch ? duration_of(*g_open.made, *g_open.part.group) : 0;
}

void write_results(std::uint64_t end) {
  const std::uint64_t duration = duration_of_open();
  if (!g_open.is_patched && g_open.part.is_last) write_metrics(*g_open.made, *g_open.part.group);
  if (g_open.sass != nullptr) write_sass_counts(*g_open.sass);
  // The first launch of a profile has the row that belongs to it. Others have rows if they were
  // measured.
  if (duration == 0 && !is_first_pass()) return;
  wire::CudaKernelRecord kernel = kernel_of(g_open.launch, g_open.correlation, end);
  set_duration(kernel, duration);
  core::append(kernel);
}

void end_pass(bool is_made) {
  if (g_open.rotation == nullptr) return;
  if (is_made)
    advance(*g_open.made, *g_open.rotation);
  else
    repeat_group(*g_open.rotation);
}

// Stops what counts the launch.
Failure stop() {
  if (g_open.is_patched) return stop_sass_counts(g_open.context);
  std::size_t launches = 0;
  Failure failure = stop_counting(g_open.context, g_open.part, launches);
  // Others belong to launches that prof does not know.
  if (!failure && launches != 1) failure = {KernelProfileReason::kOtherLaunches};
  if (!failure && g_open.part.is_last)
    failure = evaluate_launch(g_open.context, *g_open.made, g_open.part, 0);
  if (failure || g_open.order == 0) return failure;
  return save_image(*g_plan, {&g_open.launch, g_open.order}, g_open.part);
}

void end_alone(bool has_launched, std::uint64_t end) {
  const Failure failure = stop();
  if (has_launched) {
    give_up(failure);
    if (!failure) write_results(end);
  }
  end_pass(has_launched && !failure);
}

void end_in_batch(bool has_launched, std::uint64_t end) {
  if (!has_launched) return close_batch(true);
  BatchLaunch launch{};
  launch.is_selected = g_open.choice.is_selected;
  if (launch.is_selected) {
    launch.profile = profile_of(g_open);
    launch.kernel = kernel_of(g_open.launch, g_open.correlation, end);
  }
  add_launch(launch);
}

// `result`: of the launch.
void end(std::int32_t result) {
  const std::uint64_t end = core::monotonic_raw();
  const bool has_launched = result == CUDA_SUCCESS;
  if (g_open.is_in_batch)
    end_in_batch(has_launched, end);
  else
    end_alone(has_launched, end);
  watch_launch(nullptr);
  core::t_state.in_cupti = g_open.was_in_cupti;
  release_ownership();
}

// A launch that is not selected. CUPTI counts it if a batch is open.
void pass_by(const Launch& launch, const Choice& choice, const CUpti_CallbackData& data) {
  if (!is_batch_open(data.context) || is_captured(launch.stream_handle) || !become_owner()) return;
  core::ThreadState& t = core::t_state;
  g_open = opened(launch, choice, data);
  g_open.is_in_batch = true;
  t.in_cupti = true;
  if (!is_batch_worthwhile()) close_batch();
  if (is_batch_open(data.context)) return;
  t.in_cupti = g_open.was_in_cupti;
  release_ownership();
}

}  // namespace

bool is_on() { return g_plan != nullptr; }

bool is_counting() { return are_counters_on(); }

void yield() { g_yields.store(true, std::memory_order_relaxed); }

void start() {
  if ((core::g_process.config.cuda.flags & wire::kCudaKernelProfiles) == 0) return;
  g_plan = read_plan();
  if (g_plan == nullptr) return;
  find_work();
  if (load_range_api()) return;
  g_plan = nullptr;
  constexpr char kText[] =
      "Kernels are not profiled: libcupti is older than CUDA 12.6. Name a newer one with "
      "--cupti-path.";
  core::report_each(wire::DiagnosticCode::kRemark, core::intern(kText, sizeof kText - 1));
}

void on_subscribed() {
  if (g_plan != nullptr) watch_code(*g_plan);
}

void end() { close_last_batch(); }

void before_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (!is_work(id) || core::t_state.in_cupti) return;
  enter_work();
  prepare(id);
  Launch launch{};
  if (!read_launch(id, data, launch)) return;
  const Choice choice = choose(*g_plan, launch);
  note_choice(choice.is_selected);
  if (choice.is_selected || has_sass_turn(launch))
    begin(launch, choice, id, data);
  else
    pass_by(launch, choice, data);
}

void after_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (!is_work(id)) return;
  const bool is_profiled =
      is_owner() && !g_open.runs_for_us && g_open.correlation == data.correlationId;
  if (core::t_state.in_cupti && !is_profiled) return;
  const auto* result = static_cast<const std::int32_t*>(data.functionReturnValue);
  if (is_profiled) end(result == nullptr ? 0 : *result);
  leave_work();
}

}  // namespace prof::cuda::kernels
