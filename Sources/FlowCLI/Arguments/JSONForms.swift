/// What commands write with `--json`, as `flowrun help json` tells it.
enum JSONForms {
    /// Members in the order in which they are written; those that are not always there have a question mark.
    static let rows: [(left: String, right: String)] = [
        (
            "login, logout, refresh, userinfo, introspect, revoke, run, resume, callback",
            """
            {flow, provider, run, end, result, message?, error?, class?, failure?, outputs, exit: {code, name}, awaited?}. result \
            is success, failure or cancelled; outputs are those of the flow. error is a code of flowrun explain, failure \
            is {code, class, headline, error?, description?, rule?, http?, host?, step, hook?, where?, called_from?, checks, \
            evidence, causes, fix, retry_after?, retryable, trace?}, retry_after in seconds. \
            awaited, of a run that waits for a person (suspended), is {url?, base?, user_code?, complete_url?, expires_at?, \
            resume}: the address to open, there the code to enter, and the command that goes on as a list of words; with \
            --callback-url - it reads where the browser landed. url and codes are not written into a file
            """
        ),
        ("plan", "the same of the rehearsal, with its events: flowrun schema trace"),
        ("token", "{access_token, token_type, expires_at?, scopes}; a failure as those above"),
        (
            "status",
            """
            {sessions: [{state, provider, profile, key?, issuer?, client_id, environment?, variables, subject?, scopes, \
            token_type, expires_at?, refresh_expires_at?, obtained_at, refreshable, in_doubt?, narrower_tokens}]}. state is \
            valid, renewable, in_doubt, expired or unreadable; one that cannot be read has a reason and nothing else
            """
        ),
        ("logout --all", "{sessions: [{provider, profile, deleted, revoked, signed_out, key?, reason?}]}"),
        (
            "store status",
            """
            {directory, exists, sealed_by?, sessions?, writable?}; directory, exists and sealed_by also in the failure of \
            one that cannot be opened
            """
        ),
        (
            "journal",
            """
            [{run, flow, program, profile, provider, deadline, started_at, standing, interrupted?, waits_until?, \
            ended_at?}]. standing is working, spending, waiting or ended; interrupted: its process is gone
            """
        ),
        ("journal RUN", "a line for each record: {seq, t, type} and what it tells"),
        ("flow list", "[{name, summary, path, origin, hidden_by}]"),
        ("provider list", "[{name, title, protocol, registered, path, origin, hidden_by, problem}]"),
        (
            "provider show",
            """
            {provider, environment?, environments, files, fields: [{field, value, file, line, col, environment?}], removed, \
            registration: [{name, value, source}]}. field is a list of keys, files begins with the provider's own; \
            environment at a field: its lines say it; removed are members of the metadata that do not count
            """
        ),
        ("provider test", "{provider, checks: [{check, verdict, detail, fix?}], exit}"),
        ("provider discover", "{issuer, url, name, metadata}"),
        ("provider hosts", "[{host, port, purposes}]"),
        ("provider pins", "[{host, port, purposes, chain?, error?}]"),
        (
            "register",
            """
            {client_id, token_endpoint_auth_method?, client_secret_expires_at?, registration_client_uri?, metadata}, by \
            RFC 7591, in which times are seconds since 1970; with --delete {client_id, deleted, forgotten?}
            """
        ),
        (
            "sandbox",
            """
            {issuer, clients: [{id, secret?}], users: [{username, password}]}, once it listens; with --provider {at, \
            addresses: [{name, at}]}
            """
        ),
        ("explore", "{pairs: [{step, outcome, end?, assume?, path?}], reached}"),
        ("hooks list", "{flow, hooks}"),
        ("kinds", "{language, kinds}; of one KIND what it has in that list"),
        ("trust", "{trusted}"),
        (
            "trace list",
            "[{run, started_at, flow, provider, profile?, state, result?, end?, error?, exit?, ms?}]"
        ),
        ("trace diff", "{first, common, differences, durations}"),
        ("trace replay", "{same, path}"),
        ("trace show --why STEP", "{step, kind?, reached, visits, ways_here, assume?}"),
        ("trace verify", "[{file, line, col, what, sure}]"),
        ("doctor", "{findings: [{id, state, what, fix?}]}. state is ok, warning or bad"),
        ("config path", "[{name, path, exists}]"),
        ("config explain", "[{place, wins, value?}]"),
        ("scheme list", "[{scheme, program}]"),
        ("jwt decode", "{header, claims?}"),
        ("jwt verify", "{provider, checks, exit, claims?}, as provider test"),
        ("pkce", "{code_verifier, code_challenge, code_challenge_method}"),
        ("version", "{name, version, languages}"),
    ]

    static let introduction = """
        With --json, or -o json, a command writes its result to standard output as one JSON value. Commands that run a \
        flow write besides what happens to standard error with --json, a line of JSON for each event (flowrun schema \
        trace); of these user.action_required has the address that a person must open. Members and values are only \
        added, never renamed, so readers skip those that they do not know. Times are RFC 3339 in UTC, lengths of time \
        milliseconds (ms).

        What keeps a command from its work is written by each as {result: "failure", message, fix?, exit: {code, name}}, \
        and on standard error as without --json. exit is the status of the process.
        """
}
