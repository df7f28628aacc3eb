// Prints which functions the program finds, by a weak reference and by dlsym: mpi4py looks for
// functions like this.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

extern void send_c(void) __asm__("MPI_Send_c") __attribute__((weak));
extern void session_init(void) __asm__("MPI_Session_init") __attribute__((weak));
extern void psend_init(void) __asm__("MPI_Psend_init") __attribute__((weak));

int main(int argc, char** argv) {
  static const char* const names[] = {"MPI_Send_c", "MPI_Session_init", "MPI_Psend_init"};
  void* const references[] = {(void*)send_c, (void*)session_init, (void*)psend_init};
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i)
    printf("%s %d %d\n", names[i], references[i] != NULL, dlsym(RTLD_DEFAULT, names[i]) != NULL);
  MPI_Finalize();
  return 0;
}
