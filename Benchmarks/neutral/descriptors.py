"""Writes COUNT provider descriptors of 40 lines into FOLDER, all different, each like those that are shipped:
   descriptors.py FOLDER COUNT"""
import os
import sys

WORDS = "acme birch cedar delta ember fjord grove haven indigo juniper karst lumen maple nimbus onyx".split()
SCOPES = "profile email read:user files.read orders.write offline_access contacts calendar.read".split()
MEMBERS = "id login nick user_name uid handle".split()


def discovered(name, host, n):
    """OpenID Connect with discovery."""
    return f"""protocol: oidc
issuer: https://{host}
issuer_aliases: [{host}]
id_token_signing_alg_values_supported: [RS256]

client:
  token_endpoint_auth_method: client_secret_post

authorization:
  scope: [openid, {SCOPES[n % 5]}, {SCOPES[5 + n % 3]}]
  params:
    access_type: offline                # without it there is no refresh token
    prompt: consent
  allow_params: [login_hint, hint_{n}]

refresh:
  on_missing_refresh_token: keep

claims:
  source: id_token
  sub: sub
  name: name
  given_name: given_name
  email: email
  email_verified: {{path: email_verified, type: boolean}}
  picture: picture
  account_{n}: acct

userinfo:
  example:
    sub: "{n * 7919 + 110169484}"
    name: Ada Lovelace
    email: ada@{name}.example
"""


def plain(name, host, n):
    """OAuth 2.0 with an interface of its own."""
    member = MEMBERS[n % len(MEMBERS)]
    return f"""protocol: oauth2

authorization_endpoint: https://{host}/oauth/v{n % 4}/authorize
token_endpoint: https://{host}/oauth/v{n % 4}/token
userinfo_endpoint: https://api.{host}/v{n % 9}/me
revocation_endpoint: https://{host}/oauth/v{n % 4}/revoke

client:
  token_endpoint_auth_method: client_secret_basic

authorization:
  scope: ["{SCOPES[n % 8]}", "scope_{n}"]
  scope_delimiter: ","

token:
  response:
    types: {{scope: comma}}
    defaults: {{token_type: Bearer}}
    error_when:
      - {{path: error, exists: true}}     # errors come with status 200

userinfo:
  headers: {{Accept: application/vnd.{name}+json}}
  response: {{unwrap: data}}
  example:
    {member}: {n}
    display_name: Ada

claims:
  source: userinfo
  sub: {{path: {member}, type: string}}
  preferred_username: {member}
  name: [display_name, {member}]
"""


def tenant(name, host, n):
    """OAuth 2.0 at an address that the registration names."""
    return f"""protocol: oauth2

variables:
  host:
    description: host of the server of {name}
    default: {host}
    pattern: "^[A-Za-z0-9.-]+$"

issuer: https://${{vars.host}}/realms/{n}
discovery: off
authorization_endpoint: https://${{vars.host}}/realms/{n}/authorize
token_endpoint: https://${{vars.host}}/realms/{n}/token
userinfo_endpoint: https://${{vars.host}}/api/v{n % 9}/user
code_challenge_methods_supported: [S256]

client:
  token_endpoint_auth_method: client_secret_post

authorization:
  scope: [{SCOPES[n % 5]}, offline_access]
  allow_params: [prompt]

refresh:
  rotation: single_use

userinfo:
  headers:
    User-Agent: flowrun                 # the API refuses requests without one
  example: {{id: {n}, login: ada, e_mail: ada@{name}.example}}

claims:
  source: userinfo
  sub: {{path: id, type: string}}
  preferred_username: login
  email: e_mail
"""


def descriptor(n):
    name = f"{WORDS[n % 15]}-{WORDS[(n // 15) % 15]}-{n}"
    host = f"login.{name}.example"
    head = f"""# {name.title()}: where people of {WORDS[n % 7]} sign in.
provider: {name}
display_name: {name.title()}
documentation: https://developer.{name}.example/docs/oauth
"""
    lines = (head + (discovered, plain, tenant)[n % 3](name, host, n)).splitlines()
    notes = [f"# Note {k}: the console of {name} lists the client under Settings." for k in range(40)]
    return lines + notes[: 40 - len(lines)]


folder, count = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
for n in range(count):
    lines = descriptor(n)
    assert len(lines) == 40, (n, len(lines))
    with open(f"{folder}/d{n:04}.yaml", "w") as file:
        file.write("\n".join(lines) + "\n")
