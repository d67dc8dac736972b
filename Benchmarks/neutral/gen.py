#!/usr/bin/env python3
"""Generate keys, discovery, jwks and N pre-signed RS256 id_tokens (each a different jti) for the bench OP.
usage: gen.py OUTDIR [port] [ntokens]   (needs `cryptography`)"""
import sys, os, json, base64, time, hashlib
from cryptography.hazmat.primitives.asymmetric import rsa, padding, ec, ed25519
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
out = sys.argv[1]; port = int(sys.argv[2]) if len(sys.argv) > 2 else 19471
n = int(sys.argv[3]) if len(sys.argv) > 3 else 1024
os.makedirs(out, exist_ok=True)
b64 = lambda b: base64.urlsafe_b64encode(b).rstrip(b'=').decode()
i2b = lambda i, l=None: i.to_bytes(l or (i.bit_length() + 7) // 8, 'big')
j = lambda o: json.dumps(o, separators=(',', ':')).encode()
iss = f"http://127.0.0.1:{port}"
cfg = dict(issuer=iss, client_id="benchclient", client_secret="benchsecret0123456789",
           redirect_uri="http://127.0.0.1:19472/callback", scope="openid profile email offline_access",
           nonce=b64(hashlib.sha256(b"flowrun benchmark nonce").digest()), sub="248289761001")
key = rsa.generate_private_key(65537, 2048); pub = key.public_key().public_numbers()
dec = rsa.generate_private_key(65537, 2048).public_key().public_numbers()   # a decoy key, as real JWKS have several
ek = ec.generate_private_key(ec.SECP256R1()); ep = ek.public_key().public_numbers()
dk = ed25519.Ed25519PrivateKey.generate()
jwks = dict(keys=[
  dict(kty="RSA", use="sig", alg="RS256", kid="old-2023", n=b64(i2b(dec.n)), e="AQAB"),
  dict(kty="RSA", use="sig", alg="RS256", kid="rs-2025", n=b64(i2b(pub.n)), e="AQAB")])
alljwks = dict(keys=jwks["keys"] + [
  dict(kty="EC", use="sig", alg="ES256", crv="P-256", kid="es-2025", x=b64(i2b(ep.x, 32)), y=b64(i2b(ep.y, 32))),
  dict(kty="OKP", use="sig", alg="EdDSA", crv="Ed25519", kid="ed-2025", x=b64(dk.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)))])
disc = dict(issuer=iss, authorization_endpoint=iss + "/authorize", token_endpoint=iss + "/token",
  userinfo_endpoint=iss + "/userinfo", jwks_uri=iss + "/jwks", revocation_endpoint=iss + "/revoke",
  end_session_endpoint=iss + "/logout", device_authorization_endpoint=iss + "/device",
  response_types_supported=["code"], response_modes_supported=["query", "form_post"],
  grant_types_supported=["authorization_code", "refresh_token"], subject_types_supported=["public"],
  id_token_signing_alg_values_supported=["RS256"], scopes_supported=["openid", "profile", "email", "offline_access"],
  token_endpoint_auth_methods_supported=["client_secret_basic", "client_secret_post"],
  claims_supported=["sub", "iss", "name", "email", "email_verified"], code_challenge_methods_supported=["S256"],
  authorization_response_iss_parameter_supported=False)
now = int(time.time())
def claims(i): return dict(iss=iss, sub=cfg["sub"], aud=cfg["client_id"], exp=4102444800, iat=now - 60, auth_time=now - 90,
  nonce=cfg["nonce"], jti="%016x" % i, name="Jane Q. Doe", given_name="Jane", family_name="Doe",
  preferred_username="j.doe", email="janedoe@example.com", email_verified=True)
def sign(alg, kid, c):
    si = b64(j(dict(alg=alg, typ="JWT", kid=kid))) + "." + b64(j(c))
    if alg == "RS256": s = key.sign(si.encode(), padding.PKCS1v15(), hashes.SHA256())
    elif alg == "ES256":
        r, t = decode_dss_signature(ek.sign(si.encode(), ec.ECDSA(hashes.SHA256()))); s = i2b(r, 32) + i2b(t, 32)
    else: s = dk.sign(si.encode())
    return si + "." + b64(s)
W = lambda f, b: open(os.path.join(out, f), "wb").write(b)
W("discovery.json", j(disc)); W("jwks.json", j(jwks)); W("jwks_all.json", j(alljwks)); W("config.json", json.dumps(cfg, indent=1).encode())
W("userinfo.json", j(dict(sub=cfg["sub"], name="Jane Q. Doe", given_name="Jane", family_name="Doe", preferred_username="j.doe", email="janedoe@example.com", email_verified=True, picture="https://example.com/janedoe/me.jpg")))
W("id_tokens.txt", b"".join(sign("RS256", "rs-2025", claims(i)).encode() + b"\n" for i in range(n)))
for alg, kid in (("RS256", "rs-2025"), ("ES256", "es-2025"), ("EdDSA", "ed-2025")):
    W(f"jwt_{alg}.txt", b"".join(sign(alg, kid, claims(i)).encode() + b"\n" for i in range(64)))
W("rsa_pub.pem", key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
W("ec_pub.pem", ek.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
W("ed_pub.pem", dk.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
# --- tampered variants: the OP serves these, a client must refuse every one (exit != 0) ---
import shutil
def variant(name, toks=None, ui=None, jw=None):
    v = os.path.join(out, "v_" + name); os.makedirs(v, exist_ok=True)
    for f in ("discovery.json", "jwks.json", "config.json", "userinfo.json"): shutil.copy(os.path.join(out, f), v)
    if toks is None: toks = sign("RS256", "rs-2025", claims(1))
    open(os.path.join(v, "id_tokens.txt"), "w").write((toks + "\n") * 4)
    if ui: open(os.path.join(v, "userinfo.json"), "wb").write(j(ui))
def mod(**k): c = claims(1); c.update(k); return {a: b for a, b in c.items() if b is not None}
good = sign("RS256", "rs-2025", claims(1)); h, b, sg = good.split("."); c = "A" if sg[100] != "A" else "B"
variant("good")
variant("sig", ".".join([h, b, sg[:100] + c + sg[101:]]))
variant("payload_swapped", ".".join([h, b64(j(mod(sub="admin"))), sg]))
variant("iss", sign("RS256", "rs-2025", mod(iss="http://127.0.0.1:1")))
variant("aud", sign("RS256", "rs-2025", mod(aud="someone-else")))
variant("expired", sign("RS256", "rs-2025", mod(exp=now - 7200, iat=now - 9000)))
variant("nonce", sign("RS256", "rs-2025", mod(nonce="another")))
variant("nonce_missing", sign("RS256", "rs-2025", mod(nonce=None)))
variant("exp_missing", sign("RS256", "rs-2025", mod(exp=None)))
variant("alg_none", b64(j(dict(alg="none", typ="JWT"))) + "." + b + ".")
variant("unknown_kid", sign("RS256", "kid-x", claims(1)))
import hmac
def hs(k): si = b64(j(dict(alg="HS256", typ="JWT", kid="rs-2025"))) + "." + b; return si + "." + b64(hmac.new(k, si.encode(), hashlib.sha256).digest())
variant("hs256_with_rsa_pem", hs(open(os.path.join(out, "rsa_pub.pem"), "rb").read()))
variant("hs256_with_secret", hs(cfg["client_secret"].encode()))
variant("userinfo_sub", ui=dict(sub="another", name="x"))
print("ok", out)
