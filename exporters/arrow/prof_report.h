/* libprof_report.so: reads reports of prof, and SQLite files that nsys exported, as Arrow streams.
 *
 * A stream is an ArrowArrayStream of Arrow's C stream interface. It is independent of other
 * streams, reads the report while it is consumed, and needs memory for one batch. The report is
 * opened read-only. A stream must be used by one thread at a time.
 *
 * Every function returns 0, or an errno and a text in `*error`: one line that says what failed and
 * what to do. The caller frees it with prof_report_free(). `error` may be null. */
#ifndef PROF_REPORT_H
#define PROF_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "arrow_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which rows and columns to read. Set all of it to 0 and then `size`. */
typedef struct prof_report_options {
  size_t size; /* sizeof(prof_report_options): later versions append members */

  /* Only events that overlap this time, in ns as in the report. Without has_…: no limit. */
  int32_t has_start;
  int32_t has_end;
  int64_t start;
  int64_t end;
  /* Only events that overlap an NVTX range in its process: "RANGE[@DOMAIN][/INDEX]", as
   * --filter-nvtx of prof stats. Null: all. */
  const char* nvtx;
  /* Only events of these processes: PIDs, or patterns for the program's name. */
  const char* const* processes;
  size_t process_count;

  /* Tables: the columns to read, in this order. None: all. */
  const char* const* columns;
  size_t column_count;
  /* Tables: columns of integers to read as int64. For values that do not fit the column's type. */
  const char* const* wide;
  size_t wide_count;

  /* Tables: whether columns with ids of StringIds (demangledName, nameId, ...) are dictionaries of
   * their texts. nameId is then called name, unless the table has such a column, too. */
  int32_t names;

  int64_t batch_rows; /* most rows of a batch; 0: 32768. Long texts make batches shorter. */

  /* Statistics and findings: the NVTX ranges of work in CUDA graphs, "launch", "capture" or "both",
   * as --range-of of prof stats. Null: both. */
  const char* range_of;
} prof_report_options;

/* "0.1.0" */
const char* prof_report_version(void);
void prof_report_free(char* text);

/* Whether the file is a report. */
int prof_report_check(const char* path, char** error);

/* The tables of a report, in the order of the file: name, rows (0 or 1: whether it has any),
 * description. */
int prof_report_tables(const char* path, struct ArrowArrayStream* out, char** error);

/* A table. Types and nullability are those of nsys's Arrow exports, also in reports of prof. The
 * schema has the metadata table_name and table_desc, columns have field_desc. */
int prof_report_table(const char* path, const char* table, const prof_report_options* options,
                      struct ArrowArrayStream* out, char** error);

/* A report that stays open, for many tables of one report: its streams see one state of it. They
 * and prof_report_table_of() must be used by one thread at a time. prof_report_close() may be
 * called before they are released. */
typedef struct prof_report prof_report;
int prof_report_open(const char* path, prof_report** report, char** error);
void prof_report_close(prof_report* report);
/* As prof_report_table(). EINVAL for options that select rows. */
int prof_report_table_of(prof_report* report, const char* table, const prof_report_options* options,
                         struct ArrowArrayStream* out, char** error);

/* The table of kernels. `launched_in`: only kernels whose launching call began inside of this NVTX
 * range, "RANGE[@DOMAIN][/INDEX]": without INDEX inside of any such range. Null: all. */
int prof_report_kernels(const char* path, const char* launched_in,
                        const prof_report_options* options, struct ArrowArrayStream* out,
                        char** error);

/* A statistic of prof stats with its arguments: "cuda_gpu_kern_sum", "nvtx_sum:merge". The columns
 * are those of prof stats -f csv. It is complete when the function returns. */
int prof_report_statistic(const char* path, const char* statistic,
                          const prof_report_options* options, struct ArrowArrayStream* out,
                          char** error);

/* The statistics: name, title, arguments, has_data. */
int prof_report_statistics(const char* path, struct ArrowArrayStream* out, char** error);

/* The findings of prof analyze. The first row, with rank 0, is the verdict. */
int prof_report_findings(const char* path, const prof_report_options* options,
                         struct ArrowArrayStream* out, char** error);

/* The iterations of each GPU. `range`: the NVTX range that is an iteration; null: find it. */
int prof_report_iterations(const char* path, const char* range, const prof_report_options* options,
                           struct ArrowArrayStream* out, char** error);

/* Partial results: what a report adds to the statistics of a job of several ranks. Their streams
 * may be kept, sent elsewhere and merged in any order and grouping; the result is the same.
 *
 * prof_report_partial(): the partial result of a report. `statistics` as in
 * prof_report_statistic(); none: the usual ones that can be merged. It is read from the file
 * REPORT.partial of prof profile --partial=true, if that was made of the report as it is now;
 * otherwise the schema has the metadata "unfit", which says why not, and the events are read. */
int prof_report_partial(const char* path, const char* const* statistics, size_t count,
                        struct ArrowArrayStream* out, char** error);
/* The sum of partial results. Reads and releases the `count` streams. */
int prof_report_merge(struct ArrowArrayStream** partials, size_t count,
                      struct ArrowArrayStream* out, char** error);
/* A statistic of a partial result, which is read and released. `by`: which rows there are, "run",
 * "node" or "rank", as prof stats prints of several reports. The median of very different values
 * is not exact; its column has "(approx)" in its name then. */
int prof_report_partial_statistic(struct ArrowArrayStream* partial, const char* statistic,
                                  const char* by, struct ArrowArrayStream* out, char** error);

/* The ranks of the reports of a job: report, job, rank, size, attempt, node, left_out. A rank that
 * an earlier report has, or a report that cannot be read, has a row with nothing but left_out. */
int prof_report_run_ranks(const char* const* paths, size_t count, struct ArrowArrayStream* out,
                          char** error);
/* A statistic of the ranks of these reports. It reads them on one thread for each CPU, and again if
 * medians would not be exact otherwise. */
int prof_report_run_statistic(const char* const* paths, size_t count, const char* statistic,
                              const char* by, struct ArrowArrayStream* out, char** error);

/* How the reports of a job share a clock: report, offset, drift, middle, node, evidence, error,
 * not_aligned. A time t of the report is t + offset + drift * (t - middle) on the common clock.
 * `align`: as --align of prof stats; null: what suits best. */
int prof_report_run_clocks(const char* const* paths, size_t count, const char* align,
                           struct ArrowArrayStream* out, char** error);
/* As prof_report_run_statistic(), of the events that `options` select. start and end are on the
 * clock that `align` says. */
int prof_report_run_window(const char* const* paths, size_t count, const char* statistic,
                           const char* by, const char* align, const prof_report_options* options,
                           struct ArrowArrayStream* out, char** error);

/* What nsys's exports say about the integers of a column: 2: each is greater than the one before
 * it, 1: all differ, 0: some are equal. `format`: the type in Arrow's C data interface, 'i', 'I',
 * 'l' or 'L'. -1: another type, or out of memory. */
int prof_report_number_order(const void* numbers, int64_t count, char format);

#ifdef __cplusplus
}
#endif

#endif
