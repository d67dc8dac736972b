#ifndef FLOWRUN_CLINUX_H
#define FLOWRUN_CLINUX_H

/* Extensions of the GNU C library that the Swift module of it leaves out. The parameter is a
   posix_spawn_file_actions_t *; including spawn.h here would make this module the owner of libc's types. */

/* glibc 2.34: a child inherits no descriptor from here on, whoever opened it without O_CLOEXEC. */
extern int fr_spawn_close_from(void *actions, int first)
    __asm__("posix_spawn_file_actions_addclosefrom_np");
/* glibc 2.29 */
extern int fr_spawn_directory(void *actions, const char *path) __asm__("posix_spawn_file_actions_addchdir_np");
/* POSIX_SPAWN_SETSID of glibc 2.26. */
static inline short fr_spawn_new_session(void) { return 0x80; }
#endif
