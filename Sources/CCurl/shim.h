#ifndef FLOWRUN_CCURL_H
#define FLOWRUN_CCURL_H
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <openssl/ssl.h>
#include <dlfcn.h>

/* libcurl brings thirty libraries along, whose loading takes longer than most commands that need no network. It is
   loaded with the first request; until then, and where it is missing, no other function here may be called. */
static inline void *fr_curl_library(void) {
    static void *library;
#ifdef __APPLE__
    if (!library) library = dlopen("libcurl.4.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    if (!library) library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
#endif
    return library;
}
/* The function of libcurl with the type that its header gives it; two threads that look it up find the same. */
#define FR_CURL(name) \
    static __typeof__(&name) function; \
    if (!function) function = (__typeof__(&name)) dlsym(fr_curl_library(), #name)

static inline CURLcode fr_global_init(void) { FR_CURL(curl_global_init); return function(CURL_GLOBAL_DEFAULT); }
static inline const curl_version_info_data *fr_version_info(void) { FR_CURL(curl_version_info); return function(CURLVERSION_TENTH); }
static inline const char *fr_easy_strerror(CURLcode code) { FR_CURL(curl_easy_strerror); return function(code); }
static inline CURL *fr_easy_init(void) { FR_CURL(curl_easy_init); return function(); }
static inline void fr_easy_cleanup(CURL *h) { FR_CURL(curl_easy_cleanup); function(h); }
static inline CURLcode fr_easy_perform(CURL *h) { FR_CURL(curl_easy_perform); return function(h); }
static inline CURLM *fr_multi_init(void) { FR_CURL(curl_multi_init); return function(); }
static inline void fr_multi_cleanup(CURLM *m) { FR_CURL(curl_multi_cleanup); function(m); }
static inline CURLMcode fr_multi_perform(CURLM *m, int *running) { FR_CURL(curl_multi_perform); return function(m, running); }
static inline CURLMsg *fr_multi_info_read(CURLM *m, int *left) { FR_CURL(curl_multi_info_read); return function(m, left); }
static inline CURLMcode fr_multi_add_handle(CURLM *m, CURL *h) { FR_CURL(curl_multi_add_handle); return function(m, h); }
static inline CURLMcode fr_multi_remove_handle(CURLM *m, CURL *h) { FR_CURL(curl_multi_remove_handle); return function(m, h); }
static inline const char *fr_multi_strerror(CURLMcode code) { FR_CURL(curl_multi_strerror); return function(code); }
/* Waits for the transfers, or until `extra` can be read. */
static inline CURLMcode fr_multi_poll(CURLM *m, curl_socket_t extra, int milliseconds) {
    FR_CURL(curl_multi_poll);
    struct curl_waitfd wait = {extra, CURL_WAIT_POLLIN, 0};
    return function(m, &wait, 1, milliseconds, 0);
}
static inline CURLSH *fr_share_init(void) { FR_CURL(curl_share_init); return function(); }
static inline CURLSHcode fr_share_cleanup(CURLSH *s) { FR_CURL(curl_share_cleanup); return function(s); }

/* These are variadic: one wrapper for each argument kind. */
static inline CURLcode fr_setopt_long(CURL *h, CURLoption o, long v) { FR_CURL(curl_easy_setopt); return function(h, o, v); }
static inline CURLcode fr_setopt_off(CURL *h, CURLoption o, curl_off_t v) { FR_CURL(curl_easy_setopt); return function(h, o, v); }
static inline CURLcode fr_setopt_string(CURL *h, CURLoption o, const char *v) { FR_CURL(curl_easy_setopt); return function(h, o, v); }
static inline CURLcode fr_setopt_pointer(CURL *h, CURLoption o, void *v) { FR_CURL(curl_easy_setopt); return function(h, o, v); }
static inline CURLcode fr_setopt_write(CURL *h, CURLoption o, curl_write_callback v) { FR_CURL(curl_easy_setopt); return function(h, o, v); }
static inline CURLcode fr_setopt_prereq(CURL *h, curl_prereq_callback v) { FR_CURL(curl_easy_setopt); return function(h, CURLOPT_PREREQFUNCTION, v); }
static inline CURLcode fr_setopt_opensocket(CURL *h, curl_opensocket_callback v) { FR_CURL(curl_easy_setopt); return function(h, CURLOPT_OPENSOCKETFUNCTION, v); }
static inline CURLcode fr_setopt_ssl_ctx(CURL *h, curl_ssl_ctx_callback v) { FR_CURL(curl_easy_setopt); return function(h, CURLOPT_SSL_CTX_FUNCTION, v); }
/* The bytes stay the caller's: a copy of a private key would outlive the transfer in memory that nobody clears. */
static inline CURLcode fr_setopt_blob(CURL *h, CURLoption o, void *bytes, size_t count) {
    FR_CURL(curl_easy_setopt);
    struct curl_blob blob = {bytes, count, CURL_BLOB_NOCOPY};
    return function(h, o, &blob);
}
static inline CURLSHcode fr_share(CURLSH *s, curl_lock_data what) { FR_CURL(curl_share_setopt); return function(s, CURLSHOPT_SHARE, what); }
static inline CURLcode fr_getinfo_long(CURL *h, CURLINFO i, long *v) { FR_CURL(curl_easy_getinfo); return function(h, i, v); }
static inline CURLcode fr_getinfo_off(CURL *h, CURLINFO i, curl_off_t *v) { FR_CURL(curl_easy_getinfo); return function(h, i, v); }
static inline CURLcode fr_getinfo_string(CURL *h, CURLINFO i, char **v) { FR_CURL(curl_easy_getinfo); return function(h, i, v); }
static inline CURLcode fr_getinfo_pointer(CURL *h, CURLINFO i, void **v) { FR_CURL(curl_easy_getinfo); return function(h, i, v); }
static inline CURLMcode fr_msetopt_long(CURLM *m, CURLMoption o, long v) { FR_CURL(curl_multi_setopt); return function(m, o, v); }
/* The result sits in a union member of the message. */
static inline CURLcode fr_message_result(const CURLMsg *m) { return m->data.result; }

/* The TLS half of OpenSSL comes along with libcurl, and nothing of it is needed before. */
#define FR_TLS(name) \
    static __typeof__(&name) function; \
    if (!function) function = (__typeof__(&name)) dlsym(fr_curl_library(), #name)
/* Zero where libcurl does not share its OpenSSL. */
static inline int fr_has_tls(void) {
    return dlsym(fr_curl_library(), "SSL_CTX_set_cert_verify_callback")
        && dlsym(fr_curl_library(), "SSL_get_ex_data_X509_STORE_CTX_idx") && dlsym(fr_curl_library(), "SSL_get_servername");
}
static inline void fr_tls_verify_with(void *context, int (*verify)(X509_STORE_CTX *, void *), void *argument) {
    FR_TLS(SSL_CTX_set_cert_verify_callback);
    function((SSL_CTX *) context, verify, argument);
}
static inline int fr_tls_session_index(void) { FR_TLS(SSL_get_ex_data_X509_STORE_CTX_idx); return function(); }
/* The name that the client put into the handshake. */
static inline const char *fr_tls_server_name(const void *session) {
    FR_TLS(SSL_get_servername);
    return function((const SSL *) session, TLSEXT_NAMETYPE_host_name);
}
#undef FR_TLS
#undef FR_CURL
#endif
