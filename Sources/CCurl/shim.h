#ifndef FLOWRUN_CCURL_H
#define FLOWRUN_CCURL_H
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

/* curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic: one wrapper for each argument kind. */
static inline CURLcode fr_setopt_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fr_setopt_off(CURL *h, CURLoption o, curl_off_t v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fr_setopt_string(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fr_setopt_pointer(CURL *h, CURLoption o, void *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fr_setopt_write(CURL *h, CURLoption o, curl_write_callback v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fr_setopt_prereq(CURL *h, curl_prereq_callback v) { return curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, v); }
static inline CURLcode fr_setopt_opensocket(CURL *h, curl_opensocket_callback v) { return curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, v); }
static inline CURLcode fr_setopt_ssl_ctx(CURL *h, curl_ssl_ctx_callback v) { return curl_easy_setopt(h, CURLOPT_SSL_CTX_FUNCTION, v); }
/* The bytes stay the caller's: a copy of a private key would outlive the transfer in memory that nobody clears. */
static inline CURLcode fr_setopt_blob(CURL *h, CURLoption o, void *bytes, size_t count) {
    struct curl_blob blob = {bytes, count, CURL_BLOB_NOCOPY};
    return curl_easy_setopt(h, o, &blob);
}
static inline CURLSHcode fr_share(CURLSH *s, curl_lock_data what) { return curl_share_setopt(s, CURLSHOPT_SHARE, what); }
static inline CURLcode fr_getinfo_long(CURL *h, CURLINFO i, long *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode fr_getinfo_off(CURL *h, CURLINFO i, curl_off_t *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode fr_getinfo_string(CURL *h, CURLINFO i, char **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode fr_getinfo_pointer(CURL *h, CURLINFO i, void **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLMcode fr_msetopt_long(CURLM *h, CURLMoption o, long v) { return curl_multi_setopt(h, o, v); }
/* The result sits in a union member of the message. */
static inline CURLcode fr_message_result(const CURLMsg *m) { return m->data.result; }
#endif
