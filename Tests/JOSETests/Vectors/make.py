#!/usr/bin/env python3
"""Makes made-*.json: good tokens and signatures of another implementation, and every way we know to spoil one.

    Tests/JOSETests/Vectors/make.py            needs the Python package `cryptography`

Keys are new each time, so the files change with every run; what they hold does not.
"""
import base64, copy, hashlib, hmac, json, os, struct

from cryptography.hazmat.primitives import hashes, keywrap, padding as block_padding
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

HERE = os.path.dirname(os.path.abspath(__file__))
MESSAGE = b"flowrun"


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, length=None):
    return value.to_bytes(length or (value.bit_length() + 7) // 8, "big")


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


class File:
    """Numbers the tests of one file."""

    def __init__(self, name, algorithm):
        self.name, self.algorithm, self.groups, self.count = name, algorithm, [], 0

    def group(self, **members):
        members["tests"] = []
        self.groups.append(members)

    def test(self, comment, is_valid, **members):
        self.count += 1
        result = "valid" if is_valid else "invalid"
        self.groups[-1]["tests"].append(dict(tcId=self.count, comment=comment, **members, result=result, flags=[]))

    def write(self):
        document = dict(algorithm=self.algorithm, numberOfTests=self.count, testGroups=self.groups)
        with open(os.path.join(HERE, self.name), "w") as file:
            json.dump(document, file, indent=1)
            file.write("\n")


# Keys as JWKs.

def rsa_jwk(key):
    private, public = key.private_numbers(), key.public_key().public_numbers()
    names = dict(n=public.n, e=public.e, d=private.d, p=private.p, q=private.q,
                 dp=private.dmp1, dq=private.dmq1, qi=private.iqmp)
    return dict(kty="RSA", **{name: b64(number(value)) for name, value in names.items()})


CURVES = {"P-256": (ec.SECP256R1(), 32), "P-384": (ec.SECP384R1(), 48), "P-521": (ec.SECP521R1(), 66)}


def ec_jwk(key, name):
    length, point = CURVES[name][1], key.public_key().public_numbers()
    return dict(kty="EC", crv=name, x=b64(number(point.x, length)), y=b64(number(point.y, length)),
                d=b64(number(key.private_numbers().private_value, length)))


def raw_jwk(key, name):
    private = key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return dict(kty="OKP", crv=name, x=b64(public), d=b64(private))


def public(jwk):
    return {name: value for name, value in jwk.items() if name not in ("d", "p", "q", "dp", "dq", "qi")}


# RSASSA-PKCS1-v1_5: the private operation on any encoded message (RFC 8017 §8.2.1, §9.2).

PREFIX = {
    "SHA-256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "SHA-384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "SHA-512": bytes.fromhex("3051300d060960864801650304020305000440"),
}
DIGEST = {"SHA-256": hashlib.sha256, "SHA-384": hashlib.sha384, "SHA-512": hashlib.sha512}


def pkcs1():
    file = File("made-pkcs1.json", "RSASSA-PKCS1-v1_5")
    for bits, sha in ((2048, "SHA-256"), (2048, "SHA-384"), (3072, "SHA-512")):
        key = rsa.generate_private_key(65537, bits)
        n, d, size = key.public_key().public_numbers().n, key.private_numbers().d, bits // 8
        digest = DIGEST[sha](MESSAGE).digest()
        info = PREFIX[sha] + digest

        def sign(encoded):
            return number(pow(int.from_bytes(encoded, "big"), d, n), size)

        def fill(info, first=b"\0\1", byte=b"\xff", end=b"\0", size=size):
            return first + byte * (size - len(first) - len(end) - len(info)) + end + info

        file.group(type="RsassaPkcs1Verify", sha=sha, publicKeyJwk=public(rsa_jwk(key)))
        good = sign(fill(info))
        assert good == key.sign(MESSAGE, padding.PKCS1v15(), getattr(hashes, sha.replace("-", ""))())
        other = "SHA-512" if sha == "SHA-256" else "SHA-256"
        spoilt = {
            "block type 2": fill(info, first=b"\0\2"),
            "first byte not zero": b"\1" + fill(info)[1:],
            "padding of zeros": fill(info, byte=b"\0"),
            "one padding byte changed": fill(info)[:20] + b"\xfe" + fill(info)[21:],
            "no zero after the padding": fill(info, end=b"\xff"),
            "two zeros after the padding": fill(info, end=b"\0\0"),
            "short padding, bytes after the digest": b"\0\1" + b"\xff" * 8 + b"\0" + info
            + b"\0" * (size - 11 - len(info)),
            "one byte after the digest": fill(info + b"\0"),
            "digest alone": fill(digest),
            "name of another digest": fill(PREFIX[other] + digest),
            "no padding at all": b"\0" * (size - len(info)) + info,
            "parameters absent": fill(bytes([0x30, info[1] - 2, 0x30, 0x0B]) + info[4:15] + info[17:]),
            "parameters not NULL": fill(info[:15] + b"\4\0" + info[17:]),
            "length in two bytes": fill(bytes([0x30, 0x81]) + info[1:]),
            "indefinite length": fill(bytes([0x30, 0x80]) + info[2:] + b"\0\0"),
            "digest cut short": fill(info[:-1]),
            "digest of another message": fill(PREFIX[sha] + DIGEST[sha](b"another").digest()),
        }
        file.test("good", True, msg=MESSAGE.hex(), sig=good.hex())
        for comment, encoded in spoilt.items():
            file.test(comment, False, msg=MESSAGE.hex(), sig=sign(encoded).hex())
        numbers = {
            "zero": b"\0" * size, "one": number(1, size), "n - 1": number(n - 1, size), "n": number(n, size),
            "n added": number(int.from_bytes(good, "big") + n, size + 1),
            "zero byte in front": b"\0" + good, "zero byte behind": good + b"\0", "empty": b"",
            "last byte absent": good[:-1], "first byte absent": good[1:],
        }
        for comment, signature in numbers.items():
            file.test(comment, False, msg=MESSAGE.hex(), sig=signature.hex())
        file.test("another message", False, msg=b"flowruN".hex(), sig=good.hex())
        pss = key.sign(MESSAGE, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
        file.test("PSS", False, msg=MESSAGE.hex(), sig=pss.hex())
    file.write()


def pss():
    file = File("made-pss.json", "RSASSA-PSS")
    for sha, length in (("SHA-256", 32), ("SHA-384", 48), ("SHA-512", 64)):
        key = rsa.generate_private_key(65537, 2048)
        digest = getattr(hashes, sha.replace("-", ""))

        def sign(salt, mask=digest, digest=digest):
            return key.sign(MESSAGE, padding.PSS(padding.MGF1(mask()), salt), digest())

        file.group(type="RsassaPssVerify", sha=sha, mgfSha=sha, sLen=length, publicKeyJwk=public(rsa_jwk(key)))
        good = sign(length)
        file.test("good", True, msg=MESSAGE.hex(), sig=good.hex())
        for comment, signature in {
            "no salt": sign(0), "salt one shorter": sign(length - 1), "salt one longer": sign(length + 1),
            "longest salt": sign(256 - length - 2), "mask by SHA-1": sign(length, hashes.SHA1),
            "digest SHA-224": sign(length, hashes.SHA224, hashes.SHA224),
            "PKCS#1 v1.5": key.sign(MESSAGE, padding.PKCS1v15(), digest()),
            "one bit changed": good[:-1] + bytes([good[-1] ^ 1]), "empty": b"", "zero": b"\0" * 256,
            "byte behind": good + b"\0", "byte absent": good[:-1],
        }.items():
            file.test(comment, False, msg=MESSAGE.hex(), sig=signature.hex())
    file.write()


def ecdsa():
    file = File("made-ecdsa.json", "ECDSA")
    orders = {
        "P-256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
        "P-384": int("F" * 48 + "C7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973", 16),
        "P-521": int("01" + "F" * 64 + "FA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409", 16),
    }
    for name, sha in (("P-256", "SHA-256"), ("P-384", "SHA-384"), ("P-521", "SHA-512")):
        curve, length = CURVES[name]
        key, n = ec.generate_private_key(curve), orders[name]
        der = key.sign(MESSAGE, ec.ECDSA(getattr(hashes, sha.replace("-", ""))()))
        r, s = decode_dss_signature(der)

        def pair(r, s, size=length):
            return number(r, size) + number(s, size)

        file.group(type="EcdsaP1363Verify", sha=sha, publicKeyJwk=public(ec_jwk(key, name)))
        file.test("good", True, msg=MESSAGE.hex(), sig=pair(r, s).hex())
        # Both s and n - s are right: ECDSA signatures are not unique, and nothing here relies on it.
        file.test("s negated", True, msg=MESSAGE.hex(), sig=pair(r, n - s).hex())
        spoilt = {
            "DER": der, "halves swapped": pair(s, r), "r + 1": pair(r + 1, s), "s + 1": pair(r, s + 1),
            "one byte longer halves": pair(r, s, length + 1), "empty": b"", "r alone": number(r, length),
            "byte behind": pair(r, s) + b"\0", "byte in front": b"\0" + pair(r, s),
            "byte absent": pair(r, s)[:-1],
        }
        for left in (0, 1, n - 1, n, n + 1):
            for right in (0, 1, n - 1, n, n + 1):
                spoilt[f"r = {left if left < 2 else 'n%+d' % (left - n)}, "
                       f"s = {right if right < 2 else 'n%+d' % (right - n)}"] = pair(left, right)
        if (r + n).bit_length() <= length * 8:
            spoilt["r + n"] = pair(r + n, s)
        if (s + n).bit_length() <= length * 8:
            spoilt["s + n"] = pair(r, s + n)
        for comment, signature in spoilt.items():
            file.test(comment, False, msg=MESSAGE.hex(), sig=signature.hex())
        file.test("another message", False, msg=b"flowruN".hex(), sig=pair(r, s).hex())
    file.write()


def eddsa():
    file = File("made-eddsa.json", "EDDSA")
    # RFC 8032 §5.1.7 and §5.2.7: S below the order of the group.
    for name, kind, half, order in (
        ("Ed25519", ed25519.Ed25519PrivateKey, 32, 2**252 + 27742317777372353535851937790883648493),
        ("Ed448", ed448.Ed448PrivateKey, 57,
         2**446 - 13818066809895115352007386748515426880336692474882178609894547503885),
    ):
        key = kind.generate()
        good = key.sign(MESSAGE)
        point, scalar = good[:half], int.from_bytes(good[half:], "little")

        def little(value):
            return value.to_bytes(half, "little")

        file.group(type="EddsaVerify", publicKeyJwk=public(raw_jwk(key, name)))
        file.test("good", True, msg=MESSAGE.hex(), sig=good.hex())
        spoilt = {
            "S + order": point + little(scalar + order), "S + 2 order": point + little(scalar + 2 * order),
            "S = 0": point + little(0), "S = order": point + little(order), "R = 0": little(0) + good[half:],
            "R = identity": little(1) + good[half:], "all zero": b"\0" * 2 * half, "all ones": b"\xff" * 2 * half,
            "R not on the curve": b"\xff" * half + good[half:], "empty": b"", "R alone": point,
            "byte behind": good + b"\0", "byte in front": b"\0" + good, "byte absent": good[:-1],
            "highest bit of S": good[:-1] + bytes([good[-1] | 0x80]), "bit of R": bytes([good[0] ^ 1]) + good[1:],
            "bit of S": good[:half] + bytes([good[half] ^ 1]) + good[half + 1:],
        }
        for comment, signature in spoilt.items():
            file.test(comment, False, msg=MESSAGE.hex(), sig=signature.hex())
        file.test("another message", False, msg=b"flowruN".hex(), sig=good.hex())
    file.write()


# JWE (RFC 7516 §5.1), every algorithm that Sources/JOSE knows.

KEY_LENGTH = {"A128GCM": 16, "A256GCM": 32, "A128CBC-HS256": 32, "A256CBC-HS512": 64}


def seal(enc, key, text, aad):
    if enc.endswith("GCM"):
        vector = os.urandom(12)
        sealed = AESGCM(key).encrypt(vector, text, aad)
        return vector, sealed[:-16], sealed[-16:]
    half, vector = len(key) // 2, os.urandom(16)
    padder = block_padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key[half:]), modes.CBC(vector)).encryptor()
    sealed = encryptor.update(padder.update(text) + padder.finalize()) + encryptor.finalize()
    return vector, sealed, mac(enc, key, vector, sealed, aad)


def mac(enc, key, vector, sealed, aad):
    half, digest = len(key) // 2, "sha256" if enc.endswith("256") else "sha512"
    whole = hmac.new(key[:half], aad + vector + sealed + struct.pack(">Q", len(aad) * 8), digest).digest()
    return whole[:len(whole) // 2]


def concat(secret, name, length, apu=b"", apv=b""):
    fields = b"".join(struct.pack(">I", len(field)) + field for field in (name.encode(), apu, apv))
    fields += struct.pack(">I", length * 8)
    rounds = range(1, (length + 31) // 32 + 1)
    return b"".join(hashlib.sha256(struct.pack(">I", i) + secret + fields).digest() for i in rounds)[:length]


def agree(key, jwk):
    """An ephemeral key and the secret that it shares with the owner of the key."""
    if jwk["kty"] == "OKP":
        own = x25519.X25519PrivateKey.generate()
        return public(raw_jwk(own, "X25519")), own.exchange(key.public_key())
    own = ec.generate_private_key(CURVES[jwk["crv"]][0])
    return public(ec_jwk(own, jwk["crv"])), own.exchange(ec.ECDH(), key.public_key())


def encrypt(key, jwk, alg, enc, text, header=None, changes=None, party=False):
    """The parts of a token; `changes` replaces what goes into the header."""
    head = dict(alg=alg, enc=enc, **(header or {}))
    content_key, wrapped = os.urandom(KEY_LENGTH[enc]), b""
    if alg.startswith("RSA"):
        digest = hashes.SHA256() if alg.endswith("256") else hashes.SHA1()
        wrapped = key.public_key().encrypt(
            content_key, padding.OAEP(padding.MGF1(copy.copy(digest)), digest, None))
    else:
        head["epk"], secret = agree(key, jwk)
        apu, apv = (b"Alice", b"Bob") if party else (b"", b"")
        if party:
            head["apu"], head["apv"] = b64(apu), b64(apv)
        if alg == "ECDH-ES":
            content_key = concat(secret, enc, KEY_LENGTH[enc], apu, apv)
        else:
            wrapping = concat(secret, alg, 16 if "128" in alg else 32, apu, apv)
            wrapped = keywrap.aes_key_wrap(wrapping, content_key)
    head.update(changes or {})
    aad = b64(compact(head)).encode()
    return [compact(head), wrapped, *seal(enc, content_key, text, aad)], content_key


def join(parts):
    return ".".join(b64(part) for part in parts)


def flip(data, index=0):
    return data[:index] + bytes([data[index] ^ 1]) + data[index + 1:]


def jwe():
    file = File("made-encryption.json", "JWE")
    rsa_key, x_key = rsa.generate_private_key(65537, 2048), x25519.X25519PrivateKey.generate()
    ec_keys = {name: ec.generate_private_key(curve) for name, (curve, _) in CURVES.items()}
    owners = [("RSA-OAEP", rsa_key, rsa_jwk(rsa_key)), ("RSA-OAEP-256", rsa_key, rsa_jwk(rsa_key))]
    for alg in ("ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"):
        owners += [(alg, key, ec_jwk(key, name)) for name, key in ec_keys.items()]
        owners.append((alg, x_key, raw_jwk(x_key, "X25519")))
    text = b"You can trust us"
    for alg, key, jwk in owners:
        file.group(type="JsonWebEncryption", comment=f"{alg} {jwk.get('crv', 'RSA')}",
                   private=dict(jwk, alg=alg, kid="k"))

        def test(comment, is_valid, parts, enc="A128GCM", pt=text):
            file.test(comment, is_valid, enc=enc, pt=pt.hex(), jwe=parts if isinstance(parts, str) else join(parts))

        for enc in KEY_LENGTH:
            good, _ = encrypt(key, jwk, alg, enc, text, dict(kid="k", cty="JWT"))
            test(f"{enc}", True, good, enc)
            test(f"{enc}, no text", True, encrypt(key, jwk, alg, enc, b"")[0], enc, b"")
            for index, name in ((2, "vector"), (3, "ciphertext"), (4, "tag")):
                changed = list(good)
                changed[index] = flip(good[index])
                test(f"{enc}, {name} changed", False, changed, enc)
                changed[index] = good[index][:-1]
                test(f"{enc}, {name} cut", False, changed, enc)
                changed[index] = b""
                test(f"{enc}, {name} absent", False, changed, enc)
            test(f"{enc}, tag of four bytes", False, good[:4] + [good[4][:4]], enc)
            test(f"{enc}, tag longer", False, good[:4] + [good[4] + b"\0"], enc)
            test(f"{enc}, header with white space", False, [good[0].replace(b",", b", ", 1)] + good[1:], enc)
            test(f"{enc}, encrypted key longer", False, [good[0], good[1] + b"\0"] + good[2:], enc)
            if good[1]:
                test(f"{enc}, encrypted key changed", False, [good[0], flip(good[1], 9)] + good[2:], enc)
                test(f"{enc}, encrypted key absent", False, [good[0], b""] + good[2:], enc)
        parts, content_key = encrypt(key, jwk, alg, "A128CBC-HS256", text)
        # Right MACs over wrong padding: only who knows the key can make them; refused all the same.
        for comment, last in (("zero", b"\0" * 16), ("too long", b"\x11" * 16), ("uneven", b"\1" * 15 + b"\2")):
            encryptor = Cipher(algorithms.AES(content_key[16:]), modes.CBC(parts[2])).encryptor()
            sealed = encryptor.update(last) + encryptor.finalize()
            tag = mac("A128CBC-HS256", content_key, parts[2], sealed, b64(parts[0]).encode())
            test(f"padding {comment}", False, parts[:3] + [sealed, tag], "A128CBC-HS256")
        good, content_key = encrypt(key, jwk, alg, "A128GCM", text)
        test("another kid", False, encrypt(key, jwk, alg, "A128GCM", text, dict(kid="another"))[0])
        test("enc is not the registered one", False, good, "A256GCM")
        for name, value in dict(zip="DEF", crit=["exp"], jku="https://a.example", x5u="https://a.example",
                                jwk=public(jwk), b64=False).items():
            test(f"{name} in the header", False, encrypt(key, jwk, alg, "A128GCM", text, {name: value})[0])
        for changes in (dict(alg="dir"), dict(alg="none"), dict(alg="RSA1_5"), dict(alg=alg.lower()), dict(alg=1),
                        dict(enc="A192GCM"), dict(enc="a128gcm"), dict(enc=None), dict(kid=1)):
            token = encrypt(key, jwk, alg, "A128GCM", text, changes=changes)[0]
            test(f"header says {json.dumps(changes)}", False, token)
        test("two members of one name", False, [good[0].replace(b"{", b'{"alg":"dir",', 1)] + good[1:])
        test("header is no object", False, [b"[]"] + good[1:])
        test("four parts", False, good[:4])
        test("six parts", False, good + [b"a"])
        test("padded base64", False, join(good) + "=")
        test("JSON serialization", False, json.dumps(dict(
            protected=b64(good[0]), encrypted_key=b64(good[1]), iv=b64(good[2]), ciphertext=b64(good[3]),
            tag=b64(good[4]))))
        test("signed, not encrypted", False, join(good[:3]))
        if alg.startswith("RSA"):
            for length in (0, 15, 17, 32):
                digest = hashes.SHA256() if alg.endswith("256") else hashes.SHA1()
                wrapped = key.public_key().encrypt(
                    os.urandom(length), padding.OAEP(padding.MGF1(copy.copy(digest)), digest, None))
                test(f"content key of {length} bytes", False, [good[0], wrapped] + good[2:])
            wrapped = key.public_key().encrypt(content_key, padding.PKCS1v15())
            test("PKCS#1 v1.5", False, [good[0], wrapped] + good[2:])
            other = hashes.SHA1() if alg.endswith("256") else hashes.SHA256()
            wrapped = key.public_key().encrypt(
                content_key, padding.OAEP(padding.MGF1(copy.copy(other)), other, None))
            test("OAEP of the other digest", False, [good[0], wrapped] + good[2:])
            continue
        test("apu and apv", True, encrypt(key, jwk, alg, "A128GCM", text, party=True)[0])
        ephemeral = json.loads(good[0])["epk"]
        keys = {"absent": None, "no object": "x", "of another type": public(rsa_jwk(rsa_key)),
                "with its private part": jwk, "x cut": dict(ephemeral, x=ephemeral["x"][:-4])}
        for name, other in ec_keys.items():
            if name != jwk["crv"]:
                keys[f"on {name}"] = public(ec_jwk(other, name))
        if jwk["kty"] == "EC":
            y = base64.urlsafe_b64decode(ephemeral["y"] + "==")
            keys["not on the curve"] = dict(ephemeral, y=b64(y[:-1] + bytes([y[-1] ^ 1])))
            keys["without y"] = {name: value for name, value in ephemeral.items() if name != "y"}
        else:
            keys["zero"] = dict(ephemeral, x=b64(b"\0" * 32))
            keys["one"] = dict(ephemeral, x=b64(b"\1" + b"\0" * 31))
        for comment, value in keys.items():
            test(f"epk {comment}", False, encrypt(key, jwk, alg, "A128GCM", text, changes=dict(epk=value))[0])
        for name in ("apu", "apv"):
            for value in ("A", 1):
                token = encrypt(key, jwk, alg, "A128GCM", text, changes={name: value})[0]
                test(f"{name} {value}", False, token)
    file.write()


if __name__ == "__main__":
    for make in (pkcs1, pss, ecdsa, eddsa, jwe):
        make()
