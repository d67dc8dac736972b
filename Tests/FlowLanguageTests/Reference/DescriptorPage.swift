@testable import FlowLanguage

/// The reference page of provider descriptors, as Markdown, from the same table as their schema.
///
/// A file of the documentation holds exactly this text; a test says when it is out of date.
enum DescriptorPage {
    static var markdown: String {
        "\(preface)\n" + sections.map(\.markdown).joined() + epilogue
    }

    // MARK: Sections

    private static let sections = [
        ShapeSection(
            title: "The file",
            text:
                "Without `extends` a descriptor needs `provider` and `protocol`; with `oidc` it needs `issuer`, and "
                + "without discovery `token_endpoint`. Keys that begin with `x-` belong to other tools, but for names of header fields, parameters and members.",
            keys: ProviderShape.root.filter { !parts.contains($0.name) }),
        ShapeSection(
            title: "The parts of a sign-in", text: "Each has a section of its own below.",
            keys: ProviderShape.root.filter { parts.contains($0.name) }),
        ShapeSection(
            title: "client",
            text: "What the registration holds is no part of a descriptor: client id, secret, redirect URI.",
            keys: ProviderShape.client),
        ShapeSection(
            title: "authorization",
            text: "The browser carries this request: `client.secret` and tokens cannot stand in it.",
            keys: ProviderShape.authorization),
        ShapeSection(
            title: "callback",
            text: "Answers are taken as the RFCs have them unless something here says otherwise.",
            keys: ProviderShape.callback),
        ShapeSection(
            title: "Requests",
            text:
                "Of `token`, `refresh`, `userinfo` and what is in its `also`, `revocation`, `introspection`, "
                + "`device_authorization`, `grants` and every one of `operations`. `refresh` and `grants` take method, "
                + "body_format, headers, rename, auth, include_client_id and response from `token` where they do not "
                + "say them themselves. An operation says all of its request: a step that names one may add `auth: bearer` "
                + "and nothing else.",
            keys: ProviderShape.operation),
        ShapeSection(
            title: "response",
            text:
                "Paths are written `a.b`, `a[0]`, `a[*].b` and `a[?primary].b`: the first element whose `primary` "
                + "is true; or whose `type` is a text, as in `a[?type=work].b`, or what is deeper in it, as in "
                + "`a[?meta.primary].b`. A name with dots or brackets in it is quoted: `'[\"https://acme.example/email\"]'`, "
                + "`'userinfo[\"https://acme.example/email\"].value'`; templates reach it by "
                + "`get(userinfo, '/https:~1~1acme.example~1email')`.",
            keys: ProviderShape.response),
        ShapeSection(title: "refresh", text: "And the keys of a request.", keys: ProviderShape.refresh),
        ShapeSection(title: "userinfo", text: "And the keys of a request.", keys: ProviderShape.userinfo),
        ShapeSection(
            title: "userinfo.also", text: "And the other keys of a request.",
            keys: ProviderShape.also.filter { key in
                key.isRequired || !ProviderShape.operation.contains { $0.name == key.name }
            }),
        ShapeSection(title: "revocation", text: "And the keys of a request.", keys: ProviderShape.revocation),
        ShapeSection(
            title: "device_authorization", text: "And the keys of a request.",
            keys: ProviderShape.deviceAuthorization),
        ShapeSection(title: "logout", text: "The browser carries the request.", keys: ProviderShape.logout),
        ShapeSection(
            title: "id_token", text: "Signature, issuer, audience and times are always checked.",
            keys: ProviderShape.idToken),
        ShapeSection(
            title: "claims",
            text:
                "Every other key is a member of the profile: a path, a template, a list of these of which the first "
                + "with a value counts, or `{path: ..., type: ...}`. A path may begin with `userinfo`, `id_token`, "
                + "`token`, `callback` or the name of an answer of `also`; lint compares those of the UserInfo answer "
                + "with `userinfo.example`. Without any member the claims of OpenID Connect Core §5.1 keep their names, "
                + "and with `oidc` they are those of the ID token where there is no UserInfo endpoint. Booleans are read "
                + "of true, false, 1 and 0, also as text; what a type cannot be made of is left out, and the trace says so.",
            keys: ProviderShape.claims + claimRules),
        ShapeSection(
            title: "redirect", text: "Lint and the listener keep to it.", keys: ProviderShape.redirect),
        ShapeSection(
            title: "tls",
            text:
                "Pins come on top of the usual verification of certificates, never in its place, and hold for what "
                + "flowrun itself sends; the browser has rules of its own. A pin is `sha256/` and the Base64 of the "
                + "SHA-256 digest of a public key (SubjectPublicKeyInfo) or of a certificate. `flowrun provider pins "
                + "NAME` prints those of a provider's hosts.",
            keys: ProviderShape.tls),
        ShapeSection(
            title: "tls.hosts", text: "Of every one of `hosts`.", keys: ProviderShape.hostPins),
        ShapeSection(
            title: "mtls_endpoint_aliases",
            text:
                "In place of those that the metadata names, for a client whose registration has a certificate.",
            keys: ProviderShape.aliases),
    ]

    private static let claimRules = ProviderShape.claimRule.map {
        KeyShape("NAME.\($0.name)", $0.value, $0.summary, isRequired: $0.isRequired)
    }

    private static let parts =
        ProviderShape.halves.map(\.name) + ["redirect", "tls", "mtls_endpoint_aliases"]

    // MARK: Words

    private static let preface = """
        # Descriptors

        Every key of a provider descriptor: its values, what holds without it, and what it means.

        ## Overview

        A descriptor holds facts of a server and where it differs from the RFCs; never code and never credentials. This \
        page is made from the table that the schema for editors (`flowrun schema provider`) is made from. <doc:AddAProvider> \
        shows how a descriptor comes to be.

        ## Layers

        What is further down wins:

        1. what flowrun does by itself
        2. the provider's metadata (OpenID Connect Discovery, RFC 8414)
        3. the descriptor that `extends` names, and below it those that it extends, four deep at most
        4. the descriptor
        5. its environment, chosen by the registration or `--environment`
        6. the registration in `flowrun.yaml`
        7. the flow
        8. the command line

        Between files mappings are merged key by key and everything else is replaced. A key with nothing after it removes \
        what a lower layer says: `userinfo_endpoint:` is for metadata that names an endpoint which is none, and \
        `code_challenge_methods_supported: [S256]` for metadata that leaves out what the server can do. What the file \
        replaces or removes is not looked at in the metadata, so that it cannot fail a check. A trace names the file and line that each value comes from.

        ## Templates

        `${...}` may stand in addresses and in `issuer_aliases`; in the values of `params`, `query`, `headers` and `values`; in `grant_type` and `api_key.value`; in the members of `claims`; in texts of `client.basic`, `client.assertion` and `client.client_secret`; and in `callback.verify.expect`. Conditions are expressions without it. Anywhere else it is an error. The functions are those of flows (<doc:Kinds>).

        | Where | Names |
        | --- | --- |
        | everywhere | `vars.NAME`, `client.id`, `client.redirect_uri` |
        | `authorization` | `scope`, `state`, `now`, `now_ms`, `random` |
        | `client.basic`, `client.assertion`, `client.client_secret` | `client.secret`, `now`, `random` |
        | requests | `client.secret`, `scope`, `state`, `code`, `token.NAME`, `callback.NAME`, `claims.NAME`, `userinfo.NAME`, `now`, `now_ms`, `random` |
        | `params` of requests | also `parameters`, all others of query and body |
        | `query` and `headers` of requests | also `parameters`, and `body`, the encoded body |
        | `callback.verify.expect` | `client.secret`, `callback.NAME`, `message` |
        | `id_token.issuer` | `claims.NAME` |
        | `claims` | `claims.NAME`, `token.NAME`, `userinfo.NAME`, `callback.NAME` |
        | `classify` | `status`, `body` |

        `now` is in seconds since 1970, `random` is 32 hexadecimal digits that come once. `token`, `userinfo`, `claims` and \
        `callback` are JSON: test with `has(userinfo.email)`, choose with `a ?? b`. `claims` are those of the ID token, and \
        `token` in a later run has what `response.keep` names. `client.redirect_uri` is the sign-in's, and after it the one that \
        is registered. `code` is for the request for tokens; where \
        that has no use for it (`token: {omit: [code]}`), `userinfo` or one of `operations` may send it in its place, once.

        ## Order of a request

        Always the same, so that a plan shows what will be sent: parameters of the RFC, with the client's authentication; \
        `params`; `omit`; `rename`, which moves the renamed ones last; encoding, with `raw` last; `query`; `headers`. Names \
        that belong to the engine cannot be set by `params`: `client_id`, `client_secret`, `client_assertion*`, \
        `redirect_uri`, `response_type`, `state`, `nonce`, `code`, `code_verifier`, `code_challenge*`.

        ## Signatures

        What is made of `parameters` comes last, under its own name, and is not among them; they are JSON, with the names that \
        are sent and the values before encoding. `pairs` writes them in the order that signatures want: \
        `${upper(hex(hmac_sha256(client.secret, join(['/auth/token/create', pairs(parameters, '', '')], ''))))}`, or for an RSA \
        key `${base64(rsa_sha256(vars.private_key, pairs(parameters, '=', '&')))}`; one that cannot be made ends the run. `md5` is there for providers \
        that demand it, SHA-1 is not. A time of day in another form is made of its text, here eight hours \
        east of UTC: `${prefix(replace(string(time(now + 28800)) ?? '', 'T', ' '), 19)}`.

        ## Order of reading an answer

        Status; format; decoding; `error_when`; `unwrap`; `map`; `absent`; `types`; `defaults`; members that must be there. A code is \
        sent once, and no other way of authenticating the client is ever tried.

        In paths a dot leads to a member, `[0]` to an element, `[?primary]` to the first whose member is true, \
        `[?type=work]` to the first whose member is that text, `[*]` through \
        all. Of XML `NAME` is the element and `NAME@ATTRIBUTE`, beside it, an attribute of it, as in \
        `error_when: [{path: rsp@stat, not_equals: ok}]`; of elements of one name both are lists. A form or XML is read in the \
        character set of its content type, XML else in that of its first line: UTF-8, ISO-8859-1 or windows-1252. JSON is UTF-8.

        """

    private static let epilogue = """
        ## Hidden things

        The schema accepts every descriptor that flowrun accepts. What it cannot see, `flowrun lint` does: templates, paths, \
        patterns, addresses that are not https, credentials, and keys that together make no sense.

        """
}
