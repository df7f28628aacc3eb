#include "injection/mpi/implementation.hpp"

#include <atomic>
#include <cstring>

#include "injection/core/symbols/loader.hpp"
#include "injection/libraries/real_function.hpp"
#include "injection/mpi/predefined_types.hpp"

namespace prof::mpi {

namespace {

// The constants of each ABI: the header of the standard ABI (MPI 5.0, mpi-abi-stubs), and what
// programs print with Open MPI 4 and 5 and MPICH 4 and 5. Handles of Open MPI are addresses.
struct Constants {
  Word handle_mask;
  Word in_place;
  Word status_ignore;
  std::size_t source_in_status;  // bytes; the tag follows
  std::size_t status_size;       // bytes
  std::int32_t any_source, root;
  Word comm_world, comm_null, comm_self;
};
constexpr Constants kConstants[] = {
    {~Word{0}, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                         // Abi::kUnknown
    {~Word{0}, 1, 0, 0, 24, -1, -4, 0, 0, 0},                                      // kOpenMpi
    {0xffffffff, ~Word{0}, 1, 8, 20, -2, -3, 0x44000000, 0x04000000, 0x44000001},  // kMpich
    {~Word{0}, 1, 0, 0, 32, -1, -4, 0x101, 0x100, 0x102},                          // kStandard
};

using OfHandle = int (*)(Word handle, int* result);

struct Functions {
  int (*initialized)(int*);
  int (*finalized)(int*);
  OfHandle type_size, comm_size, comm_rank, test_inter, remote_size;
  OfHandle test_cancelled;  // of a status
  int (*get_count)(Word status, Word type, int* count);
  int (*comm_group)(Word comm, Word* group);
  int (*translate)(Word from, int count, const int* ranks, Word to, int* result);
  int (*group_free)(Word* group);
  OfHandle group_size;
  bool are_complete() const {
    return initialized && finalized && type_size && comm_size && comm_rank && test_inter &&
           remote_size && test_cancelled && get_count && comm_group && translate && group_free &&
           group_size;
  }
};

enum Search : std::uint32_t { kNotBegun, kBegun, kDone };

// One thread writes these before it sets g_search to kDone.
constinit std::atomic<std::uint32_t> g_search{kNotBegun};
Abi g_abi;
Constants g_constants;
Functions g_functions;

enum Phase : std::uint32_t { kNotKnown, kRunning, kFinalized };
constinit std::atomic<std::uint32_t> g_phase{kNotKnown};  // of MPI_COMM_WORLD
constinit std::atomic<std::uint32_t> g_sessions{0};

// What MPI says of MPI_COMM_WORLD, which never changes: most calls are for it. kNobody: not asked.
struct WorldFacts {
  std::atomic<std::int32_t> rank{kNobody};
  std::atomic<std::int32_t> size{kNobody};
};
constinit WorldFacts g_world;

template <class Function>
void look_up(void* object, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(object, name));
}

// Intel MPI, MVAPICH and Cray's MPI are MPICH and have its ABI.
bool is_mpich(void* object) {
  int (*version)(char*, int*);
  look_up(object, "PMPI_Get_library_version", version);
  if (version == nullptr) return false;
  char text[8192];  // MPI_MAX_LIBRARY_VERSION_STRING of MPICH, the largest
  int length = 0;
  if (version(text, &length) != 0 || length <= 0) return false;
  text[sizeof text - 1] = '\0';
  for (const char* word : {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY"})
    if (std::strstr(text, word) != nullptr) return true;
  return false;
}

Abi abi_of(void* object) {
  int (*version)(int*, int*);
  look_up(object, "PMPI_Abi_get_version", version);
  int major = 0;
  int minor = 0;
  if (version != nullptr && version(&major, &minor) == 0 && major >= 1) return Abi::kStandard;
  if (dlsym(object, "ompi_mpi_comm_world") != nullptr) return Abi::kOpenMpi;
  return is_mpich(object) ? Abi::kMpich : Abi::kUnknown;
}

void examine(void* object) {
  look_up(object, "PMPI_Initialized", g_functions.initialized);
  look_up(object, "PMPI_Finalized", g_functions.finalized);
  look_up(object, "PMPI_Type_size", g_functions.type_size);
  look_up(object, "PMPI_Comm_size", g_functions.comm_size);
  look_up(object, "PMPI_Comm_rank", g_functions.comm_rank);
  look_up(object, "PMPI_Comm_test_inter", g_functions.test_inter);
  look_up(object, "PMPI_Comm_group", g_functions.comm_group);
  look_up(object, "PMPI_Group_translate_ranks", g_functions.translate);
  look_up(object, "PMPI_Group_free", g_functions.group_free);
  look_up(object, "PMPI_Group_size", g_functions.group_size);
  look_up(object, "PMPI_Comm_remote_size", g_functions.remote_size);
  look_up(object, "PMPI_Test_cancelled", g_functions.test_cancelled);
  look_up(object, "PMPI_Get_count", g_functions.get_count);
  g_abi = g_functions.are_complete() ? abi_of(object) : Abi::kUnknown;
  g_constants = kConstants[static_cast<std::uint32_t>(g_abi)];
  if (g_abi != Abi::kOpenMpi) return;
  g_constants.comm_world = address_of_variable(object, "ompi_mpi_comm_world");
  g_constants.comm_null = address_of_variable(object, "ompi_mpi_comm_null");
  g_constants.comm_self = address_of_variable(object, "ompi_mpi_comm_self");
  find_predefined_types(object);
}

bool is_known() { return g_search.load(std::memory_order_acquire) == kDone; }

std::int32_t number_of(OfHandle function, Word comm) {
  int result = kNobody;
  return function(handle(comm), &result) == 0 ? result : kNobody;
}

bool is_world(Word comm) { return handle(comm) == g_constants.comm_world; }
bool is_self(Word comm) { return handle(comm) == g_constants.comm_self; }

// Like number_of(), which it asks once for MPI_COMM_WORLD.
std::int32_t number_of(OfHandle function, Word comm, std::atomic<std::int32_t>& of_world) {
  if (!is_world(comm)) return number_of(function, comm);
  std::int32_t number = of_world.load(std::memory_order_relaxed);
  if (number == kNobody) [[unlikely]] {
    number = number_of(function, comm);
    of_world.store(number, std::memory_order_relaxed);
  }
  return number;
}

}  // namespace

Word address_of_variable(void* object, const char* name) {
  void* address = dlsym(RTLD_DEFAULT, name);
  if (address == nullptr) address = dlsym(object, name);
  return reinterpret_cast<Word>(address);
}

void find_implementation(const void* caller) {
  std::uint32_t search = kNotBegun;
  if (!g_search.compare_exchange_strong(search, kBegun, std::memory_order_relaxed)) return;
  g_constants = kConstants[0];
  void* const known = libraries::find_real_function("PMPI_Initialized", caller, "mpi");
  const link_map* const map = known == nullptr ? nullptr : core::object_at(known);
  if (map != nullptr) {
    if (void* object = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD)) {
      examine(object);
      dlclose(object);
    }
    dlerror();  // clears an error of the calls above: the program must not see it
  }
  g_search.store(kDone, std::memory_order_release);
}

Abi abi() { return is_known() ? g_abi : Abi::kUnknown; }

Word handle(Word argument) { return is_known() ? argument & g_constants.handle_mask : argument; }

Word handle_at(Word array, std::size_t index) {
  if (array == 0 || abi() == Abi::kUnknown) return 0;
  if (g_abi != Abi::kMpich) return reinterpret_cast<const Word*>(array)[index];
  return reinterpret_cast<const std::uint32_t*>(array)[index];
}

bool is_in_place(Word buffer) { return abi() != Abi::kUnknown && buffer == g_constants.in_place; }

bool is_null_communicator(Word comm) { return comm == 0 || comm == g_constants.comm_null; }

Word world() { return abi() == Abi::kUnknown ? 0 : g_constants.comm_world; }

bool is_any_source(Word argument) {
  return abi() != Abi::kUnknown && static_cast<std::int32_t>(argument) == g_constants.any_source;
}

bool is_root_of_other_group(Word argument) {
  return abi() != Abi::kUnknown && static_cast<std::int32_t>(argument) == g_constants.root;
}

// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are the same address in each ABI.
bool is_ignored(Word status) {
  return abi() != Abi::kUnknown && status == g_constants.status_ignore;
}

Word status_at(Word statuses, std::size_t index) {
  if (abi() == Abi::kUnknown || statuses == 0 || is_ignored(statuses)) return 0;
  return statuses + index * g_constants.status_size;
}

const Envelope* envelope_in(Word status) {
  const Word known = status_at(status, 0);
  return known == 0 ? nullptr
                    : reinterpret_cast<const Envelope*>(known + g_constants.source_in_status);
}

bool is_running() {
  const std::uint32_t phase = g_phase.load(std::memory_order_relaxed);
  if (phase == kRunning) [[likely]]
    return true;
  if (abi() == Abi::kUnknown) return false;
  if (g_sessions.load(std::memory_order_relaxed) != 0) return true;
  return has_world();
}

bool has_world() {
  const std::uint32_t phase = g_phase.load(std::memory_order_relaxed);
  if (phase != kNotKnown || abi() == Abi::kUnknown) return phase == kRunning;
  // prof may not have recorded MPI_Init.
  int began = 0;
  int ended = 0;
  if (g_functions.initialized(&began) != 0 || g_functions.finalized(&ended) != 0) return false;
  if (began == 0 || ended != 0) return false;
  set_running();
  return g_phase.load(std::memory_order_relaxed) == kRunning;
}

void set_running() {
  std::uint32_t phase = kNotKnown;
  if (abi() != Abi::kUnknown)
    g_phase.compare_exchange_strong(phase, kRunning, std::memory_order_relaxed);
}

void set_finalized() { g_phase.store(kFinalized, std::memory_order_relaxed); }

void begin_session() { g_sessions.fetch_add(1, std::memory_order_relaxed); }

void end_session() {
  std::uint32_t sessions = g_sessions.load(std::memory_order_relaxed);
  while (sessions != 0 &&
         !g_sessions.compare_exchange_weak(sessions, sessions - 1, std::memory_order_relaxed)) {
  }
}

std::int64_t type_size(Word type) {
  type = handle(type);
  // A predefined type of MPICH has its size in its handle.
  if (g_abi == Abi::kMpich && (type & 0xff000000) == 0x4c000000)
    return static_cast<std::int64_t>(type >> 8 & 0xff);
  if (g_abi == Abi::kOpenMpi) {
    const std::int64_t known = predefined_type_size(type, g_functions.type_size);
    if (known >= 0) return known;
  }
  int size = -1;
  return g_functions.type_size(type, &size) == 0 && size >= 0 ? size : -1;
}

std::int32_t size_of(Word comm) {
  return is_self(comm) ? 1 : number_of(g_functions.comm_size, comm, g_world.size);
}

std::int32_t rank_of(Word comm) {
  return is_self(comm) ? 0 : number_of(g_functions.comm_rank, comm, g_world.rank);
}

bool is_intercommunicator(Word comm) {
  return !is_world(comm) && !is_self(comm) && number_of(g_functions.test_inter, comm) != 0;
}

std::int32_t remote_size_of(Word comm) { return number_of(g_functions.remote_size, comm); }

std::int64_t bytes_received(Word status, Word type) {
  int count = 0;
  std::int64_t bytes = 0;
  if (g_functions.get_count(status, handle(type), &count) != 0 || count < 0 ||
      __builtin_mul_overflow(std::int64_t{count}, type_size(type), &bytes))
    return -1;
  return bytes;
}

bool is_cancelled(Word status) {
  int result = 0;
  return g_functions.test_cancelled(status, &result) == 0 && result != 0;
}

namespace {

// `own` and `all`: groups.
Members translated(Word own, Word all) {
  constexpr int kBlock = 64;
  constexpr std::uint32_t kOffset = 2166136261;  // of FNV-1a, as the factor below
  int count = 0;
  if (g_functions.group_size(own, &count) != 0) return {};
  Members result{kNobody, kOffset};
  for (int first = 0; first < count; first += kBlock) {
    int ranks[kBlock];
    int found[kBlock];
    const int block = count - first < kBlock ? count - first : kBlock;
    for (int i = 0; i < block; ++i) ranks[i] = first + i;
    if (g_functions.translate(own, block, ranks, all, found) != 0) return {};
    if (first == 0 && found[0] >= 0) result.root = found[0];
    for (int i = 0; i < block; ++i)
      result.hash = (result.hash ^ static_cast<std::uint32_t>(found[i])) * 16777619;
  }
  return result;
}

}  // namespace

Members members_of(Word comm) {
  Word own = 0;
  Word all = 0;
  Members result;
  if (g_functions.comm_group(handle(comm), &own) != 0) return result;
  if (g_functions.comm_group(world(), &all) == 0) {
    result = translated(own, all);
    g_functions.group_free(&all);
  }
  g_functions.group_free(&own);
  return result;
}

}  // namespace prof::mpi
