// The limit of `flowrun token`: a process with the same libraries that opens a store, reads one sealed session,
// unseals it and prints the token in it. It checks nothing.
//   token make FILE | token FILE
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static const unsigned char key[32] = "0123456789abcdef0123456789abcde";
static const unsigned char nonce[12] = "0123456789a";

static int fail(const char *what) {
    fprintf(stderr, "token: %s\n", what);
    return 1;
}

static int make(sqlite3 *db) {
    unsigned char plain[4096], sealed[4096 + 16];
    int length = 0;
    for (int i = 0; i < 4096; i++) plain[i] = 'a' + i % 26;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce);
    EVP_EncryptUpdate(cipher, sealed, &length, plain, sizeof plain);
    EVP_EncryptFinal_ex(cipher, sealed + length, &length);
    EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, 16, sealed + 4096);
    sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE session (name TEXT PRIMARY KEY, sealed BLOB)", 0, 0, 0);
    sqlite3_stmt *insert;
    sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO session VALUES ('main', ?)", -1, &insert, NULL);
    sqlite3_bind_blob(insert, 1, sealed, sizeof sealed, SQLITE_STATIC);
    int done = sqlite3_step(insert);
    sqlite3_finalize(insert);
    return done == SQLITE_DONE ? 0 : fail("cannot write");
}

static int show(sqlite3 *db) {
    sqlite3_stmt *query;
    sqlite3_prepare_v2(db, "SELECT sealed FROM session WHERE name = 'main'", -1, &query, NULL);
    if (sqlite3_step(query) != SQLITE_ROW) return fail("no session");
    const unsigned char *sealed = sqlite3_column_blob(query, 0);
    int count = sqlite3_column_bytes(query, 0) - 16, length = 0;
    unsigned char *plain = malloc(count);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce);
    EVP_DecryptUpdate(cipher, plain, &length, sealed, count);
    EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, 16, (void *)(sealed + count));
    if (EVP_DecryptFinal_ex(cipher, plain + length, &length) != 1) return fail("not sealed with this key");
    printf("%.40s\n", plain);
    return 0;
}

int main(int count, char **arguments) {
    // What flowrun loads for it is loaded here as well, whether or not it is called.
    if (!OPENSSL_init_ssl(0, NULL) || !yaml_get_version_string()) return fail("a library is missing");
    sqlite3 *db;
    if (count < 2 || sqlite3_open(arguments[count - 1], &db) != SQLITE_OK) return fail("cannot open the store");
    int status = count == 3 ? make(db) : show(db);
    sqlite3_close(db);
    return status;
}
