#include "collector/attach/code_page.hpp"

#include <cstring>

// The code is position-independent, because it is copied into the program. %rbx is the address of
// the page.
#define PROF_TEXT(text) #text
#define PROF_OFFSET(number) PROF_TEXT(number)
#define PAGE_DLOPEN 0
#define PAGE_DLSYM 8
#define PAGE_DLERROR 16
#define PAGE_MUNMAP 24
#define PAGE_FUNCTION 32
#define PAGE_BYTES 40
#define PAGE_NAME 48
#define PAGE_ARGUMENT 80
#define PAGE_LIBRARY 208
#define PAGE_STATE 1232
#define PAGE_RETURNED 1236
#define PAGE_RESULT 1240
#define PAGE_RELEASED 1244
#define PAGE_PATIENCE 1248
#define PAGE_PAUSE 1264
#define PAGE_ERROR 1288
#define PAGE_DETACH 1800
#define PAGE_REGISTER_ATFORK 1808
#define PAGE_CXA_FINALIZE 1816
#define PAGE_MPROTECT 1824
#define PAGE_FORKS_MAY_RUN 1832
#define PAGE_STAYS 1836
#define PAGE_CODE 2304
#define CODE_PAGE_SIZE 4096

namespace prof::attach {

static_assert(offsetof(CodePage, dlopen) == PAGE_DLOPEN && offsetof(CodePage, dlsym) == PAGE_DLSYM);
static_assert(offsetof(CodePage, dlerror) == PAGE_DLERROR);
static_assert(offsetof(CodePage, munmap) == PAGE_MUNMAP);
static_assert(offsetof(CodePage, function) == PAGE_FUNCTION);
static_assert(offsetof(CodePage, bytes) == PAGE_BYTES && offsetof(CodePage, name) == PAGE_NAME);
static_assert(offsetof(CodePage, argument) == PAGE_ARGUMENT);
static_assert(offsetof(CodePage, library) == PAGE_LIBRARY);
static_assert(offsetof(CodePage, state) == PAGE_STATE);
static_assert(offsetof(CodePage, returned) == PAGE_RETURNED);
static_assert(offsetof(CodePage, result) == PAGE_RESULT);
static_assert(offsetof(CodePage, released) == PAGE_RELEASED);
static_assert(offsetof(CodePage, patience) == PAGE_PATIENCE);
static_assert(offsetof(CodePage, pause) == PAGE_PAUSE && offsetof(CodePage, error) == PAGE_ERROR);
static_assert(offsetof(CodePage, pthread_detach) == PAGE_DETACH);
static_assert(offsetof(CodePage, register_atfork) == PAGE_REGISTER_ATFORK);
static_assert(offsetof(CodePage, cxa_finalize) == PAGE_CXA_FINALIZE);
static_assert(offsetof(CodePage, mprotect) == PAGE_MPROTECT);
static_assert(offsetof(CodePage, forks_may_run) == PAGE_FORKS_MAY_RUN);
static_assert(offsetof(CodePage, stays) == PAGE_STAYS);
static_assert(kCodeOffset == PAGE_CODE && kPageBytes == CODE_PAGE_SIZE);

}  // namespace prof::attach

#if defined(__x86_64__)
asm(".pushsection .rodata\n"
    ".globl prof_page_code, prof_page_back, prof_page_end\n"
    "prof_page_code:\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  subq $8, %rsp\n"
    "  movq %rdi, %rbx\n"
    // Nobody joins the thread, so it is detached: libc can then reuse its stack once it has ended.
    "  movq %fs:16, %rdi\n"  // pthread_self()
    "  call *" PROF_OFFSET(PAGE_DETACH) "(%rbx)\n"
    "  movq " PROF_OFFSET(PAGE_FUNCTION) "(%rbx), %rax\n"
    "  testq %rax, %rax\n"
    "  jnz 1f\n"
    // A child that is forked while dlopen adds the library to the loader's lists has half of the
    // library, and its next thread may fail. So a handler makes fork() wait. libc registers it only
    // after forks that have begun are over.
    "  leaq prof_page_fork(%rip), %rdi\n"
    "  xorl %esi, %esi\n"
    "  xorl %edx, %edx\n"
    "  movq %rbx, %rcx\n"  // identifies the handler: no library has this address
    "  call *" PROF_OFFSET(PAGE_REGISTER_ATFORK) "(%rbx)\n"
    "  leaq " PROF_OFFSET(PAGE_LIBRARY) "(%rbx), %rdi\n"
    "  movl $2, %esi\n"  // RTLD_NOW
    "  call *" PROF_OFFSET(PAGE_DLOPEN) "(%rbx)\n"
    "  movq %rax, %r12\n"
    "  movl $1, " PROF_OFFSET(PAGE_FORKS_MAY_RUN) "(%rbx)\n"
    "  movq %rbx, %rdi\n"
    "  call *" PROF_OFFSET(PAGE_CXA_FINALIZE) "(%rbx)\n"  // removes the handler
    "  movq %r12, %rdi\n"
    "  testq %rdi, %rdi\n"
    "  jz 5f\n"
    "  leaq " PROF_OFFSET(PAGE_NAME) "(%rbx), %rsi\n"
    "  call *" PROF_OFFSET(PAGE_DLSYM) "(%rbx)\n"
    "  testq %rax, %rax\n"
    "  jz 5f\n"
    "1:\n"
    "  leaq " PROF_OFFSET(PAGE_ARGUMENT) "(%rbx), %rdi\n"
    "  call *%rax\n"
    "  movl $2, " PROF_OFFSET(PAGE_STATE) "(%rbx)\n"
    // Waits until nobody needs the page any more. After 40 seconds the page stays.
    "2:\n"
    "  movl $4000, %r12d\n"
    "3:\n"
    "  cmpl $0, " PROF_OFFSET(PAGE_RELEASED) "(%rbx)\n"
    "  jne 4f\n"
    "  leaq " PROF_OFFSET(PAGE_PAUSE) "(%rbx), %rdi\n"
    "  xorl %esi, %esi\n"
    "  movl $35, %eax\n"  // nanosleep
    "  syscall\n"
    "  decl %r12d\n"
    "  jnz 3b\n"
    "  addq $8, %rsp\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  xorl %eax, %eax\n"
    "  ret\n"
    // munmap returns to the caller of this code. If a thread may still be in the handler, the page
    // stays and becomes read-only.
    "4:\n"
    "  movq %rbx, %rdi\n"
    "  movq " PROF_OFFSET(PAGE_BYTES) "(%rbx), %rsi\n"
    "  cmpl $0, " PROF_OFFSET(PAGE_STAYS) "(%rbx)\n"
    "  je 8f\n"
    "  movl $" PROF_OFFSET(CODE_PAGE_SIZE) ", %esi\n"
    "  movl $5, %edx\n"  // PROT_READ | PROT_EXEC
    "  call *" PROF_OFFSET(PAGE_MPROTECT) "(%rbx)\n"
    "  leaq " PROF_OFFSET(CODE_PAGE_SIZE) "(%rbx), %rdi\n"
    "  movq " PROF_OFFSET(PAGE_BYTES) "(%rbx), %rsi\n"
    "  subq $" PROF_OFFSET(CODE_PAGE_SIZE) ", %rsi\n"
    "8:\n"
    "  movq " PROF_OFFSET(PAGE_MUNMAP) "(%rbx), %rax\n"
    "  addq $8, %rsp\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  jmp *%rax\n"
    // Copies the loader's message.
    "5:\n"
    "  call *" PROF_OFFSET(PAGE_DLERROR) "(%rbx)\n"
    "  testq %rax, %rax\n"
    "  jz 7f\n"
    "  leaq " PROF_OFFSET(PAGE_ERROR) "(%rbx), %rdi\n"
    "  movl $511, %ecx\n"
    "6:\n"
    "  movb (%rax), %dl\n"
    "  movb %dl, (%rdi)\n"
    "  testb %dl, %dl\n"
    "  jz 7f\n"
    "  incq %rax\n"
    "  incq %rdi\n"
    "  decl %ecx\n"
    "  jnz 6b\n"
    "7:\n"
    "  movl $1, " PROF_OFFSET(PAGE_STATE) "(%rbx)\n"
    "  jmp 2b\n"
    // fork() calls this before it forks. It makes no system call, because a filter may forbid it.
    // It waits about 1 s of CPU time at most: the forking thread may itself hold the lock that
    // dlopen waits for.
    "prof_page_fork:\n"
    "  leaq prof_page_code - " PROF_OFFSET(PAGE_CODE) "(%rip), %rdx\n"
    "  movl $60000000, %eax\n"
    "10:\n"
    "  cmpl $0, " PROF_OFFSET(PAGE_FORKS_MAY_RUN) "(%rdx)\n"
    "  jne 11f\n"
    "  pause\n"
    "  decl %eax\n"
    "  jnz 10b\n"
    "11:\n"
    "  ret\n"
    // Nobody calls this: pthread_create returns here, on the program's thread. The thread waits
    // here until prof restores its registers. If prof is killed, the thread restores them from the
    // signal frame.
    "prof_page_back:\n"
    "  leaq prof_page_code - " PROF_OFFSET(PAGE_CODE) "(%rip), %rbx\n"
    "  movl %eax, " PROF_OFFSET(PAGE_RESULT) "(%rbx)\n"
    "  movl $1, " PROF_OFFSET(PAGE_RETURNED) "(%rbx)\n"
    // Calls pselect6 for `patience`. It is not futex or nanosleep: for those the kernel keeps
    // restart data, which would overwrite the restart data of the call that the thread was in
    // before.
    "  xorl %edi, %edi\n"
    "  xorl %esi, %esi\n"
    "  xorl %edx, %edx\n"
    "  xorl %r10d, %r10d\n"
    "  leaq " PROF_OFFSET(PAGE_PATIENCE) "(%rbx), %r8\n"
    "  xorl %r9d, %r9d\n"
    "  movl $270, %eax\n"
    "  syscall\n"
    "  movl $15, %eax\n"  // rt_sigreturn
    "  syscall\n"
    "prof_page_end:\n"
    ".popsection\n");
#else
#error "prof attach needs the code of its page for this architecture"
#endif

extern "C" {
extern const char prof_page_code[];
extern const char prof_page_back[];
extern const char prof_page_end[];
}

namespace prof::attach {

CodePlaces code_places() {
  return {kCodeOffset, kCodeOffset + static_cast<std::size_t>(prof_page_back - prof_page_code)};
}

std::vector<std::byte> bytes_of(const CodePage& page) {
  std::vector<std::byte> bytes(kPageBytes);
  std::memcpy(bytes.data(), &page, sizeof page);
  std::memcpy(bytes.data() + kCodeOffset, prof_page_code,
              static_cast<std::size_t>(prof_page_end - prof_page_code));
  return bytes;
}

}  // namespace prof::attach
