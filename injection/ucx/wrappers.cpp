// The functions that the program calls in place of UCX's. Each passes its arguments on as words,
// because all of them are integers, handles and pointers.
//
// UCX calls its own functions through the dynamic linker, too. Such a call is not recorded. Older
// functions for transfers (ucp_tag_send_nb) call newer ones (ucp_tag_send_nbx), which can be
// followed to their end.
#include <cstddef>

#include "injection/libraries/bound_functions.hpp"
#include "injection/libraries/recorder.hpp"
#include "injection/libraries/word_parameters.hpp"
#include "injection/ucx/transfers.hpp"
#include "injection/ucx/ucp_abi.hpp"
#include "injection/ucx/ucx_functions.hpp"
#include "injection/ucx/workers.hpp"

namespace {

using namespace prof;
using ucx::Index;
using ucx::Kind;
using ucx::Word;

libraries::BoundFunctions<ucx::kFunctionCount> g_functions;

// The transfer that an older function in progress begins, until a newer one follows it. It is a
// copy, because a callback of the program may leave the older function by longjmp.
struct Begun {
  bool is_any;
  wire::UcpTransferRecord transfer;
};
__thread Begun t_begun __attribute__((tls_model("initial-exec")));

// The numbers 0 to `count` - 1 as template arguments. The C++ library's are in a header that code
// in the program does not use.
template <std::size_t... indices>
struct Indices {};
template <std::size_t count, std::size_t... indices>
struct MakeIndices : MakeIndices<count - 1, count - 1, indices...> {};
template <std::size_t... indices>
struct MakeIndices<0, indices...> {
  using Type = Indices<indices...>;
};

template <std::size_t... indices>
long call_with(void* real, const Word* words, Indices<indices...>) {
  return reinterpret_cast<long (*)(decltype(Word{indices})...)>(real)(words[indices]...);
}

template <std::size_t count>
[[gnu::always_inline]] inline long call(void* real, const Word (&words)[count]) {
  return call_with(real, words, typename MakeIndices<count>::Type());
}

template <Index function, std::size_t count>
[[gnu::always_inline]] inline long follow(void* real, Word (&words)[count],
                                          const wire::UcpTransferRecord& transfer) {
  constexpr const ucx::Roles& kRoles = ucx::kFunctions[function].roles;
  ucx::Follower follower(transfer, kRoles.callback, words[kRoles.param]);
  words[kRoles.param] = follower.param();
  const long result = call(real, words);
  follower.finish(result);
  return result;
}

template <Index function, std::size_t count>
long record_transfer(void* real, std::uint64_t start, Word (&words)[count]) {
  wire::UcpTransferRecord transfer = ucx::transfer_of(function, start, words);
  long result = 0;
  if constexpr (ucx::kFunctions[function].roles.param >= 0) {
    result = follow<function>(real, words, transfer);
  } else {
    t_begun = {true, transfer};
    result = call(real, words);
    t_begun.is_any = false;
  }
  transfer.end = prof_time();
  ucx::write(transfer);
  return result;
}

bool is_traced() {
  return prof_is_library_traced != nullptr && prof_is_library_traced(ucx::kLibrary);
}

// Learns of workers and endpoints, also outside of capture ranges.
template <Index function>
void learn(long result, const Word* words) {
  constexpr const ucx::Function& kFunction = ucx::kFunctions[function];
  if (static_cast<ucx::Status>(result) != 0 || !is_traced()) return;
  if constexpr (kFunction.kind == Kind::kWorker)
    ucx::define_worker(*reinterpret_cast<const Word*>(words[kFunction.roles.result]));
  if constexpr (kFunction.kind == Kind::kConnect)
    ucx::connect(*reinterpret_cast<const Word*>(words[kFunction.roles.result]), words[1]);
}

template <Index function, std::size_t count>
long record_call(void* real, std::uint64_t start, Word (&words)[count]) {
  const long result = call(real, words);
  if (start == 0) return result;
  const wire::UcpCallRecord record{
      {sizeof record, wire::RecordType::kUcpCall, 0, ucx::id_of(function)}, start, prof_time()};
  prof_write_library_record(record.header.aux, ucx::kFunctions[function].name, &record,
                            sizeof record);
  return result;
}

// A call that UCX makes of its own function.
template <Index function, std::size_t count>
long forward_own(void* real, Word (&words)[count]) {
  if constexpr (ucx::kFunctions[function].roles.param >= 0) {
    const Begun begun = t_begun;
    t_begun.is_any = false;
    if (begun.is_any) return follow<function>(real, words, begun.transfer);
  }
  return call(real, words);
}

template <Index function, class... Words>
[[gnu::always_inline]] inline long forward(const void* caller, Words... given) {
  constexpr const ucx::Function& kFunction = ucx::kFunctions[function];
  Word words[] = {given...};
  const auto [real, is_own] =
      g_functions.find(function, kFunction.name, caller, "ucp", ucx::kLibrary);
  if (real == nullptr) return ucx::kUnsupported;
  if (is_own) return forward_own<function>(real, words);
  const std::uint64_t start =
      prof_begin_library_call == nullptr ? 0 : prof_begin_library_call(ucx::kLibrary);
  if constexpr (kFunction.kind == Kind::kTransfer) {
    if (start == 0) return call(real, words);
    return record_transfer<function>(real, start, words);
  } else {
    if constexpr (kFunction.kind == Kind::kWorker || kFunction.kind == Kind::kConnect)
      ucx::find_functions(real);
    if constexpr (kFunction.kind == Kind::kDisconnect)
      ucx::disconnect(words[kFunction.roles.endpoint]);
    const long result = record_call<function>(real, start, words);
    learn<function>(result, words);
    return result;
  }
}

}  // namespace

#define UCP_FUNCTION(name, count, ...)                                           \
  extern "C" [[gnu::visibility("default")]] long name(PARAMETERS_##count) {      \
    return forward<ucx::k##name>(__builtin_return_address(0) ARGUMENTS_##count); \
  }
#include "injection/ucx/ucx.def"
