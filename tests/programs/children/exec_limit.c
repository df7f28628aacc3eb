/* Finds the largest total of arguments that a program can be started with, with an empty
 * environment. argv[1] says how. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

enum { kPiece = 1000, kTooLarge = 7 };

static const char* g_way;
static char* g_environment[] = {NULL};

static void execute(char** arguments) {
  if (strcmp(g_way, "execve") == 0) execve("/bin/true", arguments, g_environment);
  environ = g_environment;
  if (strcmp(g_way, "execv") == 0) execv("/bin/true", arguments);
  if (strcmp(g_way, "execvpe") == 0) execvpe("/bin/true", arguments, g_environment);
  _exit(errno == E2BIG ? kTooLarge : 8);
}

static int start(char** arguments) {
  pid_t child = -1;
  if (strcmp(g_way, "spawn") == 0) {
    const int error = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, g_environment);
    if (error != 0) return error == E2BIG ? kTooLarge : 8;
  } else {
    child = strcmp(g_way, "execvpe") == 0 ? vfork() : fork();
    if (child == 0) execute(arguments);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 9;
}

static int try_total(size_t total) {
  const size_t pieces = total / kPiece;
  char** arguments = calloc(pieces + 3, sizeof *arguments);
  char* piece = malloc(kPiece);
  char* rest = malloc(kPiece + 1);
  memset(piece, 'a', kPiece - 1);
  memset(rest, 'b', kPiece);
  piece[kPiece - 1] = '\0';
  rest[total % kPiece] = '\0';
  arguments[0] = "true";
  for (size_t i = 1; i <= pieces; ++i) arguments[i] = piece;
  arguments[pieces + 1] = rest;
  const int result = start(arguments);
  free(rest);
  free(piece);
  free(arguments);
  return result;
}

int main(int count, char** words) {
  if (count < 2) return 2;
  g_way = words[1];
  size_t fits = 100000;
  size_t too_large = 8000000;
  while (too_large - fits > 1) {
    const size_t middle = (fits + too_large) / 2;
    const int result = try_total(middle);
    if (result != 0 && result != kTooLarge) return result;
    *(result == 0 ? &fits : &too_large) = middle;
  }
  printf("%zu\n", fits);
  return 0;
}
