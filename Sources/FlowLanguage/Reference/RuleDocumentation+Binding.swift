/// Rules of a flow together with a provider.
extension RuleDocumentation {
    static let binding: [RuleDocumentation] = [
        RuleDocumentation(
            "FL088",
            meaning: """
                A descriptor speaks of the provider's metadata, and no sign-in ever fetches it: because of
                discovery: off, or because the file names every endpoint that a sign-in needs.
                """,
            reason: """
                With discovery: auto metadata is fetched as soon as a step needs an endpoint that the file
                does not name. Where nothing is missing, nothing that only the metadata says counts: its
                methods of PKCE, its authentication methods, its word about iss.
                """,
            wrong: """
                protocol: oauth2
                issuer: https://acme.example
                server_metadata_url: https://acme.example/metadata.json
                authorization_endpoint: https://acme.example/authorize
                token_endpoint: https://acme.example/token
                userinfo: {supported: false}
                """,
            right: """
                protocol: oauth2
                issuer: https://acme.example
                server_metadata_url: https://acme.example/metadata.json
                userinfo: {supported: false}
                """),
        RuleDocumentation(
            "FL089",
            meaning: """
                The name of a provider file and the name in it differ.
                """,
            reason: """
                A provider is found by the name of its file, while its registration and its sessions go
                by the name in it. Where the two differ, flowrun.yaml is looked up under a name that
                nobody types, and two files of one name share their registration.
                """,
            wrong: """
                # providers/acme.yaml
                provider: acme-sso
                """,
            right: """
                # providers/acme.yaml
                provider: acme
                """),
        RuleDocumentation(
            "FL090",
            meaning: """
                The provider lacks an endpoint or a capability that a step needs, and the step does not
                route unsupported by name; or an expression names an endpoint or a value that the
                provider's file does not have.
                """,
            reason: """
                It is better to hear so before the browser opens than after.
                """,
            wrong: """
                revoke:
                  next: { ok: done, any.choice: done }
                """,
            right: """
                revoke:
                  next: { ok: done, any.choice: done, unsupported: done }
                """),
        RuleDocumentation(
            "FL091",
            meaning: """
                A scope is not among those that the provider lists.
                """,
            reason: """
                Most providers refuse the whole request because of one unknown scope.
                """,
            wrong: """
                authorize:
                  with: { scopes: [openid, emial] }
                """,
            right: """
                authorize:
                  with: { scopes: [openid, email] }
                """),
        RuleDocumentation(
            "FL092",
            meaning: """
                The provider does not list the acr, the prompt or the response_mode that the step asks
                for.
                """,
            reason: """
                Some providers ignore what they do not know: the person is then not asked as strongly as
                the flow believes.
                """,
            wrong: """
                authorize:
                  with: { acr_values: [gold] }
                """,
            right: """
                authorize:
                  with: { acr_values: ["urn:mace:incommon:iap:silver"] }
                """),
        RuleDocumentation(
            "FL093",
            meaning: """
                The provider supports none of the client's authentication methods or algorithms.
                """,
            reason: """
                Every request to its token endpoint would be refused with invalid_client.
                """,
            wrong: """
                client:
                  token_endpoint_auth_method: client_secret_jwt
                """,
            right: """
                client:
                  token_endpoint_auth_method: client_secret_basic
                """),
        RuleDocumentation(
            "FL094",
            meaning: """
                The provider does not accept the kind of redirect that the flow uses, such as one to
                this machine.
                """,
            reason: """
                The browser would end on the provider's page about a wrong redirect_uri, and the flow
                would wait for nothing.
                """,
            wrong: """
                authorize:
                  with: { redirect: loopback }
                """,
            right: """
                authorize:
                  with: { redirect: "https://app.example/callback" }
                """),
        RuleDocumentation(
            "FL095",
            meaning: """
                The provider rotates refresh tokens, and the store has no lock across processes.
                """,
            reason: """
                Two processes would redeem the same token; the provider takes the second for theft and
                revokes the grant.
                """,
            wrong: """
                # a host program with its own store, without a lock
                refresh: { next: { ok: store, absent: authorize } }
                """,
            right: """
                # a store with a lock, such as the built-in one
                refresh: { next: { ok: store, absent: authorize } }
                """),
        RuleDocumentation(
            "FL096",
            meaning: """
                An http step calls a server that is not among the provider's origins.
                """,
            reason: """
                Tokens only go to servers that the descriptor names.
                """,
            wrong: """
                api:
                  do: http
                  with: { url: "https://elsewhere.example/me", auth: bearer }
                """,
            right: """
                api:
                  do: http
                  with: { url: "https://api.provider.example/me", auth: bearer }
                """),
        RuleDocumentation(
            "FL097",
            meaning: """
                The descriptor pins one key or certificate of a host and no second one.
                """,
            reason: """
                Hosts change their keys, at the latest when one is stolen. With one pin every sign-in
                then fails until the file is changed everywhere. A second key that is kept offline, or
                the authority that issues the certificates (strategy: chain), bridges the change.
                """,
            wrong: """
                tls:
                  pins: [sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=]
                """,
            right: """
                tls:
                  pins:
                    - sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=
                    - sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=
                """),
        RuleDocumentation(
            "FL098",
            meaning: """
                The day after expires has come. The pin matches nothing any more; where no other pin
                matches, connections are refused.
                """,
            reason: """
                The day says until when somebody has promised to look after the pin. Nothing falls back
                to less by itself.
                """,
            wrong: """
                pins:
                  - { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, expires: 2020-01-31 }
                """,
            right: """
                pins:
                  - { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, expires: 2099-01-31 }
                """),
        RuleDocumentation(
            "FL099",
            meaning: """
                A registration of flowrun.yaml names a provider that there is no file of, or an
                environment or a variable that the provider does not have, or a value that its file does
                not allow.
                """,
            reason: """
                The file is read only when somebody signs in, and then the run ends before it begins.
                """,
            wrong: """
                registrations:
                  acme:
                    client_id: flowrun-demo
                    variables: { tenat: example }
                """,
            right: """
                registrations:
                  acme:
                    client_id: flowrun-demo
                    variables: { tenant: example }
                """),
        RuleDocumentation(
            "FL103",
            meaning: """
                A rule for requests (omit, rename, raw) names a parameter that no request has, or a rule
                for the answers of the token endpoint (map, absent, types, defaults) makes or converts a
                member that neither flowrun nor any text of the file reads; or a key says something that
                another key beside it makes void, as scope_delimiter beside repeat_scope.
                """,
            reason: """
                Such a rule does nothing, and whoever wrote it believes that it does. Nearly always a
                name is misspelt.
                """,
            wrong: """
                token:
                  response:
                    types: { expires_inn: milliseconds }
                """,
            right: """
                token:
                  response:
                    types: { expires_in: milliseconds }
                """),
        RuleDocumentation(
            "FL104",
            meaning: """
                The provider issues no ID tokens, its UserInfo endpoint is asked who signed in, and no
                member of the profile is sub.
                """,
            reason: """
                Without sub a program cannot tell one person from another, and neither can a renewal find
                out that somebody else answers.
                """,
            wrong: """
                claims: { name: login }
                """,
            right: """
                claims: { sub: id, name: login }
                """),
        RuleDocumentation(
            "FL105",
            meaning: """
                The descriptor lets a check against attackers go unheeded. callback.iss: ignore takes an
                answer without iss although the provider announces that every answer has one.
                """,
            reason: """
                iss tells whose answer it is. Without it a client of several providers can be made to send
                the code of one to another (RFC 9207). An iss that is there is compared in any case, and
                the trace shows the check as relaxed.
                """,
            wrong: """
                callback: { iss: ignore }
                """,
            right: """
                callback: { iss: auto }
                """),
        RuleDocumentation(
            "FL106",
            meaning: """
                A claim's path leads nowhere in userinfo.example, which shows what the answer looks like; or
                a path is a URL, whose dots part it into members that no answer has.
                """,
            reason: """
                Such a claim is left out of every profile, and nobody notices before the first sign-in. Either
                the path is misspelt, or the example is not what the provider answers.
                """,
            wrong: """
                userinfo: { example: { id: 7, contact: { mail: a@acme.example } } }
                claims: { sub: id, email: contact.email, group: "https://acme.example/group" }
                """,
            right: """
                userinfo: { example: { id: 7, contact: { mail: a@acme.example } } }
                claims: { sub: id, email: contact.mail, group: '["https://acme.example/group"]' }
                """),
        RuleDocumentation(
            "FL108",
            meaning: """
                The provider that a flow names as its default is neither in the project nor among those
                that come with flowrun. It is a warning: whoever runs the flow may name another.
                """,
            reason: """
                A run that leaves the choice to the flow ends before it begins, and until then nobody
                notices.
                """,
            wrong: """
                providers:
                  main: { default: sandbx }
                """,
            right: """
                providers:
                  main: { default: sandbox }
                """),
    ]
}
