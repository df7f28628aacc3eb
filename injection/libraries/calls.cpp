// Called by trampolines_*.S at each call of a library function. This file is compiled once for each
// library: PROF_LIBRARY is its wire::Library, PROF_LIBRARY_DEF is the list of its functions, and
// PROF_LIBRARY_STATUS is the status returned for a function that does not exist.
// PROF_LIBRARY_PRODUCTS is the list of its functions that compute matrix products, if it has any.
#include <atomic>

#include "common/wire/records.hpp"
#include "injection/libraries/matrix_products.hpp"
#include "injection/libraries/real_function.hpp"
#include "injection/libraries/recorder.hpp"

namespace {

using namespace prof;

constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::PROF_LIBRARY);

// Unused in a library that lacks functions of this kind.
[[maybe_unused]] long missing_status() { return PROF_LIBRARY_STATUS; }
[[maybe_unused]] const char* missing_text() { return "the library is not loaded"; }
[[maybe_unused]] long missing_value() { return 0; }

struct TracedFunction {
  const char* name;
  void* missing;  // called instead of a function that does not exist
};
#define LIBRARY_STATUS(name) {#name, reinterpret_cast<void*>(missing_status)},
#define LIBRARY_TEXT(name) {#name, reinterpret_cast<void*>(missing_text)},
#define LIBRARY_VALUE(name) {#name, reinterpret_cast<void*>(missing_value)},
const TracedFunction kFunctions[] = {
#include PROF_LIBRARY_DEF
};
constexpr std::size_t kFunctionCount = sizeof kFunctions / sizeof *kFunctions;
static_assert(kFunctionCount <= wire::kFunctionsPerLibrary);

// The real functions, one set for each calling object. An atomic word needs no further ordering,
// because the code to which it points is never unloaded (find_real_function keeps it loaded).
libraries::Callers g_callers;
std::atomic<void*> g_real[libraries::kMaxCallers][kFunctionCount];

[[gnu::cold, gnu::noinline]] void* resolve(std::uint32_t function, const void* caller) {
  const std::uint32_t index = g_callers.add(caller);
  void* real = libraries::find_real_function(kFunctions[function].name, caller,
                                             wire::kLibraryNames[kLibrary]);
  g_real[index][function].store(real, std::memory_order_relaxed);
  return real;
}

void* real_function(std::uint32_t function, const void* caller) {
  void* real = g_real[g_callers.find(caller)][function].load(std::memory_order_relaxed);
  return real != nullptr ? real : resolve(function, caller);
}

struct Entered {
  void* real;
  std::uint64_t start;  // 0: the call is not recorded
};

#ifdef PROF_LIBRARY_PRODUCTS
// The numbers of the functions.
enum : std::uint32_t {
#define LIBRARY_NUMBER(name) kNumberOf_##name,
#undef LIBRARY_STATUS
#undef LIBRARY_TEXT
#undef LIBRARY_VALUE
#define LIBRARY_STATUS LIBRARY_NUMBER
#define LIBRARY_TEXT LIBRARY_NUMBER
#define LIBRARY_VALUE LIBRARY_NUMBER
#include PROF_LIBRARY_DEF
};

struct ProductFunctions {
  libraries::ProductFunction of[kFunctionCount];
};

consteval bool is_wide(const char* name) {
  const char* end = name;
  while (*end != '\0') ++end;
  return end - name > 3 && libraries::is_same_word(end - 3, "_64");
}

constexpr ProductFunctions kProducts = [] {
  using namespace libraries;
  ProductFunctions all{};
#define LIBRARY_PRODUCT(name, parameters, kind, type, result_type)                     \
  all.of[kNumberOf_##name] = {&parameters, wire::ProductKind::kind, type, result_type, \
                              is_wide(#name)};
#include PROF_LIBRARY_PRODUCTS
  return all;
}();

// Asks the library that cublasLtMatmul is of about its descriptors.
bool describe_lt(const libraries::Arguments& arguments, const void* caller,
                 wire::MatrixProductRecord& record) {
  static std::atomic<bool> has_no_getters;
  if (has_no_getters.load(std::memory_order_relaxed)) return false;
  void* layout = real_function(kNumberOf_cublasLtMatrixLayoutGetAttribute, caller);
  void* operation = real_function(kNumberOf_cublasLtMatmulDescGetAttribute, caller);
  if (layout == nullptr || operation == nullptr) {
    has_no_getters.store(true, std::memory_order_relaxed);
    return false;
  }
  return libraries::describe_lt_matmul(arguments, reinterpret_cast<libraries::GetAttribute>(layout),
                                       reinterpret_cast<libraries::GetAttribute>(operation),
                                       record);
}

// Records the call as a matrix product. Returns false if it is none, or nothing is known of it. A
// call that fails computes nothing; what the functions of cublas.h return has no meaning.
bool record_product(std::uint32_t function, std::uint32_t id, std::uint64_t start, int status,
                    const libraries::Arguments& arguments, const void* caller) {
  const libraries::ProductFunction& product = kProducts.of[function];
  const bool is_lt = function == kNumberOf_cublasLtMatmul;
  if (product.positions == nullptr && !is_lt) [[likely]]
    return false;
  if (status != 0 && kFunctions[function].missing != reinterpret_cast<void*>(missing_value))
    return false;
  wire::MatrixProductRecord record{};
  record.header = {sizeof record, wire::RecordType::kMatrixProduct, 0, id};
  record.start = start;
  record.end = prof_time();
  if (!is_lt)
    libraries::describe(product, arguments, record);
  else if (!describe_lt(arguments, caller, record))
    return false;
  prof_write_library_record(id, kFunctions[function].name, &record, sizeof record);
  return true;
}
#endif

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) Entered enter_call(std::uint32_t function,
                                                         const void* caller) {
  void* real = real_function(function, caller);
  if (real == nullptr) [[unlikely]] {
    if (prof_library_missing != nullptr) prof_library_missing(kLibrary);
    return {kFunctions[function].missing, 0};
  }
  return {real, prof_begin_library_call != nullptr ? prof_begin_library_call(kLibrary) : 0};
}

// `status` is what the function returned, if it returns an integer. The arguments are those of the
// call (libraries::Arguments).
__attribute__((visibility("hidden"))) void leave_call(
    std::uint32_t function, std::uint64_t start, [[maybe_unused]] int status,
    [[maybe_unused]] const std::uint64_t* registers, [[maybe_unused]] const std::uint64_t* stack,
    [[maybe_unused]] const void* caller) {
  const std::uint32_t id =
      wire::kLibraryFunctions + kLibrary * wire::kFunctionsPerLibrary + function;
#ifdef PROF_LIBRARY_PRODUCTS
  if (record_product(function, id, start, status, {registers, stack}, caller)) return;
#endif
  prof_end_library_call(id, kFunctions[function].name, start);
}
}
