// The variables in which launchers tell a process its place in a job. prof reads these variables
// only, and of them only values that are numbers or ids.
//
// Sources: the documentation of torchrun, Slurm (srun), Open MPI, PMIx, Intel MPI, MVAPICH2, PALS,
// Flux, jsrun, LSF, PBS, Kubernetes (indexed jobs) and Ray. POD_NAME, POD_NAMESPACE and NODE_NAME
// are customary names for Kubernetes's downward API.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::wire {

inline constexpr const char* kRankVariables[] = {
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "GROUP_RANK",
    "GROUP_WORLD_SIZE",
    "ROLE_RANK",
    "NODE_RANK",
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "PET_NODE_RANK",
    "SLURM_PROCID",
    "SLURM_NTASKS",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_RESTART_COUNT",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_NODE_RANK",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
    "PMI_RANK",
    "PMI_SIZE",
    "PMI_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_SIZE",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "PALS_RANKID",
    "PALS_LOCAL_RANKID",
    "FLUX_TASK_RANK",
    "FLUX_TASK_LOCAL_ID",
    "FLUX_JOB_ID",
    "JSM_NAMESPACE_RANK",
    "LSB_JOBID",
    "PBS_JOBID",
    "JOB_COMPLETION_INDEX",
    "RAY_JOB_ID",
    "POD_NAME",
    "POD_NAMESPACE",
    "NODE_NAME",
};
inline constexpr std::size_t kNumRankVariables = sizeof kRankVariables / sizeof *kRankVariables;
inline constexpr std::size_t kMaxRankValueBytes = 64;

// Who gives ranks, and in which variables. The first that gives one is the best: a launcher inside
// of another one knows the ranks of the program.
struct RankSource {
  const char* name;
  const char *rank, *size, *local_rank, *local_size, *node_rank;  // empty: it has none
};
inline constexpr RankSource kRankSources[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", ""},
    {"MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", "", ""},
    {"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", ""},
    {"PALS", "PALS_RANKID", "", "PALS_LOCAL_RANKID", "", ""},
    {"PMIx", "PMIX_RANK", "", "", "", ""},
    {"Flux", "FLUX_TASK_RANK", "", "FLUX_TASK_LOCAL_ID", "", ""},
    {"jsrun", "JSM_NAMESPACE_RANK", "", "", "", ""},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "", "SLURM_NODEID"},
    {"Kubernetes", "JOB_COMPLETION_INDEX", "", "", "", ""},
};

// True for a number or an id: what else such a variable contains is not recorded.
constexpr bool is_rank_value(const char* value, std::size_t length) {
  if (length == 0 || length > kMaxRankValueBytes) return false;
  for (std::size_t i = 0; i < length; ++i) {
    const char c = value[i];
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != ':' && c != '-')
      return false;
  }
  return true;
}

// Returns the number that the whole text is; -1 if it is none, or one of more than 18 digits.
constexpr std::int64_t rank_number(const char* text, std::size_t length) {
  constexpr std::size_t kMaxDigits = 18;
  if (length == 0 || length > kMaxDigits) return -1;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

// Returns the first launcher that gives this process a rank, or nullptr. `value_of` takes a name
// and returns the value of that variable, or nullptr, as getenv does.
template <class ValueOf>
const RankSource* find_rank_source(ValueOf value_of) {
  for (const RankSource& source : kRankSources) {
    const char* value = value_of(source.rank);
    std::size_t length = 0;
    while (value != nullptr && value[length] != '\0') ++length;
    if (rank_number(value, length) >= 0) return &source;
  }
  return nullptr;
}

// Returns the length of `name` if the text of `length` bytes begins with it and '='; else 0.
constexpr std::size_t length_of_name(const char* text, std::size_t length, const char* name) {
  std::size_t at = 0;
  while (name[at] != '\0' && at < length && text[at] == name[at]) ++at;
  return name[at] == '\0' && at < length && text[at] == '=' ? at : 0;
}

// Returns the index in kRankVariables of the variable in "NAME=value"; kNumRankVariables if it is
// none of them, or its value is neither a number nor an id.
constexpr std::size_t rank_variable_of(const char* text, std::size_t length) {
  for (std::size_t i = 0; i < kNumRankVariables; ++i) {
    const std::size_t name = length_of_name(text, length, kRankVariables[i]);
    if (name != 0) return is_rank_value(text + name + 1, length - name - 1) ? i : kNumRankVariables;
  }
  return kNumRankVariables;
}

}  // namespace prof::wire
