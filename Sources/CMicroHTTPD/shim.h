#ifndef FLOWRUN_CMICROHTTPD_H
#define FLOWRUN_CMICROHTTPD_H
#include <sys/types.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <microhttpd.h>
#include <stdint.h>

/* MHD_start_daemon is variadic: one call with every option that the server uses. */
static inline struct MHD_Daemon *fr_start_server(
    int listening_socket, MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    void *(*target)(void *, const char *, struct MHD_Connection *), MHD_NotifyConnectionCallback connection,
    void *context, unsigned int connections,
    unsigned int timeout_seconds, size_t memory) {
    return MHD_start_daemon(
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
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? (int) info->connect_fd : -1;
}
#endif
