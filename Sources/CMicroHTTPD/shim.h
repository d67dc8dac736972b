#ifndef FLOWRUN_CMICROHTTPD_H
#define FLOWRUN_CMICROHTTPD_H
#include <sys/types.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <microhttpd.h>
#include <stdint.h>
#include <dlfcn.h>

/* libmicrohttpd is loaded with the first server: most commands have none. Until then, and where it is missing, no
   other function here may be called. */
static inline void *fr_httpd_library(void) {
    static void *library;
#ifdef __APPLE__
    if (!library) library = dlopen("libmicrohttpd.12.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    if (!library) library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
#endif
    return library;
}
#define FR_HTTPD(name) \
    static __typeof__(&name) function; \
    if (!function) function = (__typeof__(&name)) dlsym(fr_httpd_library(), #name)

static inline void fr_stop_daemon(struct MHD_Daemon *d) { FR_HTTPD(MHD_stop_daemon); function(d); }
static inline int fr_get_values(struct MHD_Connection *c, enum MHD_ValueKind kind, MHD_KeyValueIteratorN read, void *context) {
    FR_HTTPD(MHD_get_connection_values_n);
    return function(c, kind, read, context);
}
static inline struct MHD_Response *fr_response_copying(size_t count, const void *bytes) {
    FR_HTTPD(MHD_create_response_from_buffer);
    return function(count, (void *) bytes, MHD_RESPMEM_MUST_COPY);
}
static inline struct MHD_Response *fr_response_reading(
    uint64_t size, size_t block, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release) {
    FR_HTTPD(MHD_create_response_from_callback);
    return function(size, block, read, context, release);
}
static inline void fr_destroy_response(struct MHD_Response *r) { FR_HTTPD(MHD_destroy_response); function(r); }
static inline enum MHD_Result fr_add_header(struct MHD_Response *r, const char *name, const char *value) {
    FR_HTTPD(MHD_add_response_header);
    return function(r, name, value);
}
static inline enum MHD_Result fr_queue_response(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r) {
    FR_HTTPD(MHD_queue_response);
    return function(c, status, r);
}
static inline void fr_suspend_connection(struct MHD_Connection *c) { FR_HTTPD(MHD_suspend_connection); function(c); }
static inline void fr_resume_connection(struct MHD_Connection *c) { FR_HTTPD(MHD_resume_connection); function(c); }

/* MHD_start_daemon is variadic: one call with every option that the server uses. */
static inline struct MHD_Daemon *fr_start_server(
    int listening_socket, MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    void *(*target)(void *, const char *, struct MHD_Connection *), MHD_NotifyConnectionCallback connection,
    void *context, unsigned int connections,
    unsigned int timeout_seconds, size_t memory) {
    FR_HTTPD(MHD_start_daemon);
    return function(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, access, context,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket) listening_socket,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_NOTIFY_CONNECTION, connection, context,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_STRICT_FOR_CLIENT, (int) 1,
        MHD_OPTION_END);
}

/* MHD_get_connection_info is variadic. */
static inline int fr_connection_socket(struct MHD_Connection *c) {
    FR_HTTPD(MHD_get_connection_info);
    const union MHD_ConnectionInfo *info = function(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? (int) info->connect_fd : -1;
}
#undef FR_HTTPD
#endif
