#!/usr/bin/env python3
"""Writes the configuration of LemonLDAP::NG, all below STATE: configure.py STATE BASE SECONDS"""
import json
import os
import shutil
import sys

state, base, seconds = sys.argv[1:]


def place(*names):
    path = os.path.join(state, *names)
    os.makedirs(path, exist_ok=True)
    return path


def fresh(name):
    shutil.rmtree(os.path.join(state, name), ignore_errors=True)
    return place(name)


def text(name):
    with open(os.path.join(state, name)) as file:
        return file.read()


def client(name, **options):
    callbacks = " ".join(f"http://127.0.0.1:{port}/callback" for port in range(8765, 8770))
    options = {"ClientID": name, "ClientSecret": "flowrun-secret", "IDTokenSignAlg": "RS256", "RefreshToken": 1,
               "RedirectUris": callbacks, "AccessTokenExpiration": seconds} | options
    return {"oidcRPMetaDataOptions" + key: value for key, value in options.items()}


clients = {
    "secret": client("flowrun", AllowClientCredentialsGrant=1),
    "public": client("flowrun-public", ClientSecret="", Public=1, RequirePKCE=1),
    "signed": client("flowrun-signed", BypassConsent=1, IDTokenSignAlg="HS512", UserInfoSignAlg="RS512",
                     AccessTokenJWT=1, AccessTokenSignAlg="RS384",
                     ClientSecret="flowrun-secret-long-enough-for-hs512-0123456789-0123456789-0123456789"),
    "unsigned": client("flowrun-unsigned", BypassConsent=1, IDTokenSignAlg="none"),
}
configuration = {
    "cfgNum": 1, "cfgDate": 1, "cfgVersion": "2.16.1", "authentication": "Demo", "userDB": "Same", "passwordDB": "Null",
    "registerDB": "Null", "demoExportedVars": {"cn": "cn", "mail": "mail", "uid": "uid"},
    "portal": base + "/", "domain": "127.0.0.1", "cookieName": "lemonldap", "securedCookie": 0,
    "whatToTrace": "uid", "requireToken": 0, "captcha_mail_enabled": 0, "captcha_register_enabled": 0, "captcha": "::Plugins::Status",
    "portalDisplayRegister": 0, "portalDisplayResetPassword": 0,
    "globalStorage": "Apache::Session::File",
    "globalStorageOptions": {
        "Directory": place("sessions"), "LockDirectory": place("sessions", "lock"),
        "generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256"},
    "persistentStorage": "Apache::Session::File",
    "persistentStorageOptions": {
        "Directory": place("psessions"), "LockDirectory": place("psessions", "lock")},
    "localSessionStorage": "", "notification": 0, "locationRules": {"127.0.0.1": {"default": "accept"}},
    "issuerDBOpenIDConnectActivation": 1, "issuerDBOpenIDConnectPath": "^/oauth2/", "issuerDBOpenIDConnectRule": 1,
    "oidcServiceMetaDataIssuer": base,
    "oidcServicePrivateKeySig": text("sign.key"), "oidcServicePublicKeySig": text("sign.pub"),
    "oidcServiceAllowDynamicRegistration": 1,
    "oidcServiceDynamicRegistrationExportedVars": {"email": "mail", "name": "cn"},
    # Newer ones look here, and not into their own file, for how long they go on without looking for a new version.
    "checkTime": -1, "checkMsg": -1,
    "oidcRPMetaDataOptions": clients,
    "oidcRPMetaDataExportedVars": {name: {"email": "mail", "name": "cn"} for name in clients},
}
# A client that registers is another version of it, which is found by way of the cache.
folder, cache = fresh("configuration"), fresh("cache")
with open(os.path.join(folder, "lmConf-1.json"), "w") as file:
    json.dump(configuration, file)
with open(os.path.join(state, "lemonldap-ng.ini"), "w") as file:
    file.write(f"""[all]
logLevel = warn
checkTime = 1
logger = Lemonldap::NG::Common::Logger::Std
userLogger = Lemonldap::NG::Common::Logger::Std
[configuration]
type = File
dirName = {folder}
localStorage = Cache::FileCache
localStorageOptions = {{ 'namespace' => 'configuration', 'default_expires_in' => 600, 'cache_root' => '{cache}' }}
[portal]
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
""")
