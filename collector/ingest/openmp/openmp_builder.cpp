#include "collector/ingest/openmp/openmp_builder.hpp"

#include <algorithm>

namespace prof::ingest {

namespace {

std::int64_t task_number(std::uint64_t task) {
  return static_cast<std::int64_t>(task & ~wire::kOpenMpExplicit);
}

}  // namespace

// Sets what all rows of events with a name have.
template <class Row>
Row OpenMpBuilder::row_of(const OpenMpSpan& span, const char* name) {
  Row row;
  row.start = span.start;
  row.end = span.end;
  row.global_tid = global_tid_;
  row.name_id = names_.id_of(name);
  return row;
}

template <class Row>
void OpenMpBuilder::set_code(Row& row, const OpenMpSpan& span) {
  if (const ConstructPlace* place = places_.find(serial_, span.code))
    row.template set<&Row::code>(place->id);
}

void OpenMpBuilder::begin_thread(std::uint32_t serial, std::int64_t global_tid) {
  serial_ = serial;
  global_tid_ = global_tid;
  thread_.reset();
}

void OpenMpBuilder::define(std::uint32_t serial, const wire::OpenMpEndRecord& record) {
  if (record.header.flags == static_cast<std::uint8_t>(wire::OpenMpEvent::kParallel) &&
      record.header.aux == wire::kOpenMpEndsParts)
    region_ends_.insert_or_assign({serial, record.object}, record.time);
}

OpenMpThread& OpenMpBuilder::thread() {
  if (!thread_)
    thread_.emplace([this](const OpenMpSpan& span) { write(span); },
                    [this](std::uint64_t parallel) -> std::optional<std::int64_t> {
                      const auto end = region_ends_.find({serial_, parallel});
                      if (end == region_ends_.end()) return {};
                      return clock_.to_ns(end->second);
                    });
  return *thread_;
}

void OpenMpBuilder::begin(const wire::OpenMpBeginRecord& record) {
  thread().begin(record, clock_.to_ns(record.time));
}

void OpenMpBuilder::end(const wire::OpenMpEndRecord& record) {
  thread().end(record, clock_.to_ns(record.time));
}

std::int64_t OpenMpBuilder::end_of_process() const {
  const ProcessImage* const own = processes_.find(serial_);
  std::int64_t end = end_;
  if (own == nullptr) return end;
  for (const ProcessImage& each : processes_.images())
    if (each.pid == own->pid && each.time > own->time) end = std::min(end, clock_.to_ns(each.time));
  return end;
}

void OpenMpBuilder::end_thread() {
  if (thread_) thread_->finish(end_of_process());
  thread_.reset();
}

void OpenMpBuilder::write(const OpenMpSpan& span) {
  ++events_;
  last_time_ = std::max(last_time_, span.end);
  switch (span.event) {
    case wire::OpenMpEvent::kParallel: {
      auto row = row_of<report::OpenMpParallelRow>(span, "Parallel Region");
      row.parallel = static_cast<std::int64_t>(span.parallel);
      row.parent = task_number(span.task);
      set_code(row, span);
      return writer_.add(row);
    }
    case wire::OpenMpEvent::kImplicit:
    case wire::OpenMpEvent::kTaskSwitch: {
      const bool is_explicit = (span.task & wire::kOpenMpExplicit) != 0;
      auto row =
          row_of<report::OpenMpTaskRow>(span, is_explicit ? "Explicit Task" : "Implicit Task");
      row.parallel = static_cast<std::int64_t>(span.parallel);
      row.task = task_number(span.task);
      row.kind = is_explicit ? kExplicitTask : kImplicitTask;
      return writer_.add(row);
    }
    case wire::OpenMpEvent::kMutex:
    case wire::OpenMpEvent::kAcquired:
    case wire::OpenMpEvent::kReleased:
      return write_mutex(span);
    default:
      return write_construct(span);
  }
}

void OpenMpBuilder::write_construct(const OpenMpSpan& span) {
  const auto add = [&](auto row) {
    row.parallel = static_cast<std::int64_t>(span.parallel);
    row.task = task_number(span.task);
    set_code(row, span);
    writer_.add(row);
  };
  switch (span.event) {
    case wire::OpenMpEvent::kWork: {
      const std::int32_t kind = work_kind(span.kind);
      auto row = row_of<report::OpenMpWorkRow>(span, name_of_work(kind));
      row.kind = kind;
      row.count = static_cast<std::int64_t>(span.object);
      return add(row);
    }
    case wire::OpenMpEvent::kSync: {
      const std::int32_t kind = sync_kind(span.kind);
      auto row = row_of<report::OpenMpSyncRow>(span, name_of_sync(kind));
      row.kind = kind;
      return add(row);
    }
    case wire::OpenMpEvent::kMaster:
      return add(row_of<report::OpenMpMasterRow>(span, "Master Region"));
    case wire::OpenMpEvent::kTarget: {
      const std::uint32_t kind = span.kind & 0xffff;
      auto row = row_of<report::OpenMpTargetRow>(span, name_of_target(kind));
      row.kind = static_cast<std::int32_t>(kind);
      row.device = static_cast<std::int16_t>(span.kind >> 16);
      row.bytes = static_cast<std::int64_t>(span.object);
      return add(row);
    }
    case wire::OpenMpEvent::kReduction:
      return add(row_of<report::OpenMpReductionRow>(span, "Reduction Region"));
    default: {
      report::OpenMpTaskCreateRow row;
      row.start = span.start;
      row.global_tid = global_tid_;
      row.name_id = names_.id_of("Explicit Task Creation");
      row.parent = task_number(span.object);
      row.task = task_number(span.task);
      set_code(row, span);
      return writer_.add(row);
    }
  }
}

void OpenMpBuilder::write_mutex(const OpenMpSpan& span) {
  const auto set = [&](auto& row) {
    row.kind = static_cast<std::int32_t>(span.kind);
    row.mutex = static_cast<std::int64_t>(span.object);
  };
  if (span.event == wire::OpenMpEvent::kMutex) {
    auto row = row_of<report::OpenMpMutexWaitRow>(span, name_of_wait(span.kind));
    set(row);
    row.task = task_number(span.task);
    set_code(row, span);
    return writer_.add(row);
  }
  if (span.event == wire::OpenMpEvent::kAcquired) {
    auto row = row_of<report::OpenMpCriticalRow>(span, "Critical Region");
    set(row);
    return writer_.add(row);
  }
  report::OpenMpReleaseRow row;
  row.start = span.start;
  row.global_tid = global_tid_;
  set(row);
  row.task = task_number(span.task);
  writer_.add(row);
}

void OpenMpBuilder::finish() {
  if (events_ == 0) return;
  write_openmp_enums(writer_);
  places_.write();
}

}  // namespace prof::ingest
