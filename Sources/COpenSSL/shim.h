#ifndef FLOWRUN_COPENSSL_H
#define FLOWRUN_COPENSSL_H
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string.h>

/* EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR are macro expressions that Swift does not import. */
static inline int fr_selection_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
static inline int fr_selection_keypair(void) { return EVP_PKEY_KEYPAIR; }

/* EVP_RSA_gen and EVP_EC_gen are macros over the C variadic EVP_PKEY_Q_keygen; Swift imports neither. */
static inline EVP_PKEY *fr_generate_rsa(size_t bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *fr_generate_ec(const char *group) { return EVP_EC_gen(group); }
/* "ED25519", "ED448" or "X25519"; variadic as well. */
static inline EVP_PKEY *fr_generate_octets(const char *curve) { return EVP_PKEY_Q_keygen(NULL, NULL, curve); }

/* The C library's own, which JOSE sees through no other module. */
static inline int fr_same_bytes(const void *a, const void *b, size_t count) { return memcmp(a, b, count) == 0; }
static inline const void *fr_find_byte(const void *bytes, int byte, size_t count) {
    return memchr(bytes, byte, count);
}

/* The functions of certificate stacks are macros. */
static inline int fr_chain_count(const STACK_OF(X509) *chain) { return sk_X509_num(chain); }
static inline X509 *fr_chain_certificate(const STACK_OF(X509) *chain, int i) { return sk_X509_value(chain, i); }

/* Flags of X509_NAME_print_ex are macros with casts: `CN=host,O=Example`, most general part first, UTF-8 as it is. */
static inline unsigned long fr_name_flags(void) {
    return XN_FLAG_RFC2253 & ~XN_FLAG_DN_REV & ~ASN1_STRFLGS_ESC_MSB;
}
#endif
