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

/* libsecret, which is loaded while the program runs and only when somebody keeps a secret there: its types as of
   version 0.18, and calls of its variadic functions with one attribute. */
typedef struct {
    const char *name;
    int flags;
    struct { const char *name; int type; } attributes[32];
    int reserved;
    void *reserved_pointers[7];
} fr_secret_schema;

typedef struct { unsigned domain; int code; char *message; } fr_glib_error;

static inline char *fr_secret_lookup(void *function, const char *attribute, const char *value, fr_glib_error **error) {
    /* 2: an entry counts by its attribute, whatever program made it. */
    fr_secret_schema schema = { "flowrun", 2, { { attribute, 0 } }, 0, { 0 } };
    typedef char *(*lookup)(const fr_secret_schema *, void *, fr_glib_error **, ...);
    return ((lookup)function)(&schema, (void *)0, error, attribute, value, (char *)0);
}

/* secret_password_store_sync; the default collection. */
static inline int fr_secret_store(
    void *function, const char *attribute, const char *value, const char *label, const char *secret,
    fr_glib_error **error) {
    fr_secret_schema schema = { "flowrun", 2, { { attribute, 0 } }, 0, { 0 } };
    typedef int (*store)(
        const fr_secret_schema *, const char *, const char *, const char *, void *, fr_glib_error **, ...);
    return ((store)function)(
        &schema, (const char *)0, label, secret, (void *)0, error, attribute, value, (char *)0);
}

/* secret_password_clear_sync */
static inline int fr_secret_clear(void *function, const char *attribute, const char *value, fr_glib_error **error) {
    fr_secret_schema schema = { "flowrun", 2, { { attribute, 0 } }, 0, { 0 } };
    typedef int (*clear)(const fr_secret_schema *, void *, fr_glib_error **, ...);
    return ((clear)function)(&schema, (void *)0, error, attribute, value, (char *)0);
}

static inline void fr_call_free(void *function, void *argument) { ((void (*)(void *))function)(argument); }
/* PR_SET_DUMPABLE of Linux 2.3.20; variadic, which Swift cannot call. */
extern int prctl(int option, ...);
static inline int fr_conceal_memory(void) { return prctl(4, 0L, 0L, 0L, 0L); }

#endif
