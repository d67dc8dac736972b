#ifndef FLOWRUN_CMICROHTTPD_H
#define FLOWRUN_CMICROHTTPD_H
#include <sys/types.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <microhttpd.h>
#include <stdint.h>

/* MHD_get_daemon_info is variadic. */
static inline uint16_t fr_bound_port(struct MHD_Daemon *d) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}
#endif
