#ifndef FLOWRUN_COPENSSL_H
#define FLOWRUN_COPENSSL_H
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

/* EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR are macro expressions that Swift does not import. */
static inline int fr_selection_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
static inline int fr_selection_keypair(void) { return EVP_PKEY_KEYPAIR; }
#endif
