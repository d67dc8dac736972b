extension FailureTexts {
    /// A bound was met, or this machine does not let the run go on.
    static let bounds: [String: FailureText] = [
        "conflict": FailureText(
            "another process has stored the session meanwhile", why: ["two runs at once"], fix: ["{again}"],
            isRetryable: true),
        "setup_failed": FailureText(
            "the setup lacks what a run needs",
            why: [
                "a library is missing or of the wrong kind",
                "a port is taken, or this process has no thread or descriptor left",
            ],
            fix: ["see the message, and mend what it names"]),
        "storage": FailureText(
            "something on this machine stands in the way", why: [], fix: ["{trace}   shows the step"]),
        "callback.timeout": FailureText(
            "nobody came back from the provider in time",
            why: [
                "the page was closed, or shows an error of the provider",
                "the provider does not know the client, a scope or {redirect_uri}, and says so on its page",
                "the browser runs on another machine and cannot reach this one's loopback address",
            ],
            fix: [
                "{again}   and look at the provider's page",
                "if it speaks of the redirect URI: register it, and where its port counts choose one with --port N or "
                    + "redirect.loopback.ports of the provider's file",
                "over SSH choose a port with --port N and forward it: ssh -L N:127.0.0.1:N HOST",
            ]),
        "deadline": FailureText(
            "the run took longer than it may",
            why: ["limits.deadline of the flow, --timeout, or --wait for a code, is over"],
            fix: ["{again}   and be faster, or raise that limit: {trace} shows what took so long"],
            isRetryable: true),
        "transitions": FailureText(
            "the run made more transitions than allowed", why: ["a loop in the flow does not end"],
            fix: ["give an edge of the loop a `max`"]),
        "visits": FailureText(
            "a step was entered more often than limits.visits allows",
            why: ["a loop of the flow went round more often than that"],
            fix: ["give an edge of the loop a smaller `max`, or raise limits.visits"]),
        "exhausted": FailureText(
            "a step was entered more often than its `visits` allows",
            why: ["what the loop waits for did not happen in so many rounds"],
            fix: ["see where the flow leads `exhausted` of the step, or raise its `visits`"]),
        "headless": FailureText(
            "a person must open a page, and there is nowhere to show it",
            why: ["no display, no terminal, or --no-input"],
            fix: ["{show}"]),
        "suspended": FailureText(
            "the run waits for an answer that somebody must give in a browser",
            why: ["nobody can be asked here, and the run can go on in another process"],
            fix: [
                "open the address that was shown, and hand over where the browser lands or enter the code there: see flowrun help "
                    + "resume"
            ]),
        "ticket_invalid": FailureText(
            "this instance cannot go on with what the server kept of this sign-in",
            why: [
                "it was sealed with a key that this instance does not have, or by another version",
                "it was begun with another flow, provider or client than this instance has",
                "it was cut or changed where it was kept",
            ],
            fix: [
                "have the visitor sign in again",
                "give every instance the same flow, provider, client and keys, and keep an old key among them as long as "
                    + "tickets live",
            ]),
        "journal_failed": FailureText(
            "the run cannot be kept safe against a crash",
            why: ["no room on the disk, no right to write, or the run belongs to another flow"],
            fix: ["make room or mend the rights, then run it again: nothing was sent that is lost"],
            isRetryable: true),
        "redirect_unavailable": FailureText(
            "the redirect address cannot be opened here",
            why: [
                "another program holds the port",
                "the redirect URI is the page of a server, whose answers this machine does not see",
            ],
            fix: [
                "end the other run, or choose another port: with --port, or in --redirect-uri where that names one",
                "give a redirect URI of this machine, such as http://127.0.0.1:PORT/callback, or hand the answer over: "
                    + "see flowrun help resume",
            ]),
        "authorize.client_key": FailureText(
            "a key or secret that this sign-in needs is missing, or does not fit",
            why: [
                "the answer in the browser is verified with the client secret, and none is registered",
                "the request is signed with the client's private key, and none is registered",
                "the key is of another type than the algorithm",
            ],
            fix: ["give what is missing in the registration: flowrun provider add {provider_word}"]),
        "client_key": FailureText(
            "what proves the client cannot be made",
            why: [
                "the secret or the private key is missing, or cannot be read where it should be",
                "the private key is of another type than the algorithm, or the secret is too short",
                "the assertion that somebody else issues for the client has expired, or is none",
            ],
            fix: [
                "flowrun provider test {provider_word}   shows where each part of the registration comes from",
                "set the variable or write the file where that is empty here",
                "for what is missing, or another place: flowrun provider add {provider_word}, with --client-secret-file "
                    + "or --private-key-file",
            ]),
        "attested_client.client_key": FailureText(
            "the assertion that somebody else issues for the client cannot be used",
            why: [
                "it has expired: a build service issues one for minutes, and a cluster writes its file anew",
                "what was given is no JWT",
            ],
            fix: [
                "flowrun provider test {provider_word}   says by whom it is issued, about whom and until when",
                "have a new one issued for each run, by a command under client_assertion of the registration",
            ]),
        "register.client_key": FailureText(
            "the client's public key cannot be registered",
            why: [
                "the provider file has answers encrypted to the client, requests signed or private_key_jwt, and no private "
                    + "key was given",
                "the private key is of another type than the algorithm in the provider file: RSA-OAEP needs RSA, ECDH-ES "
                    + "an elliptic curve",
            ],
            fix: ["flowrun register {provider_word} --private-key-file FILE   with a key in PEM or JWK"]),
        "endpoint_refused": FailureText(
            "the address that would be asked is not allowed",
            why: [
                "an answer leads to a host that is not in allowed_hosts: the provider's own, or somebody else's",
                "its own query has a parameter that the request has too",
                "the step is about one provider, and its tokens are those of another",
            ],
            fix: [
                "for tokens of another provider: give the step, by use, a set that a step about its own has filled",
                "add the host to allowed_hosts of the descriptor, if it is the provider's own",
                "write the endpoint without the parameter into the provider file, or tell the provider",
            ]),
        "host_not_allowed": FailureText(
            "the access token is not sent to a server that the provider does not name",
            why: [
                "the address belongs to somebody else, who could use the token as its owner does",
                "it is a resource server that the provider's file does not name",
            ],
            fix: [
                "flowrun http METHOD URL --allow-host HOST   sends it there this time",
                "name the server for good under resources or origins of the provider's file",
                "flowrun provider hosts {provider_word}   shows the servers that are named",
            ]),
        "transport_refused": FailureText(
            "the connection is not safe, so nothing was sent",
            why: [
                "somebody stands between this machine and the provider",
                "the provider has a new key or certificate that the descriptor does not pin",
                "its metadata names an address in a network where it has no business",
            ],
            fix: [
                "flowrun provider pins {provider_word}   (what its hosts show now)",
                "compare that over another connection, or with the provider, before you pin it",
            ]),
        "store_failed": FailureText(
            storeHeadline,
            why: [
                "the key that its sessions are sealed with is gone or locked away",
                "permissions or space on the disk", "another process holds the file",
                "a file of it is damaged",
            ],
            fix: [
                lookAtStore,
                "give it its key back; where that is lost: flowrun store reset --yes, then sign in again",
                "make room on its disk, and check owner and mode of its folder (it must be 0700)",
            ]),
        "store_full": FailureText(
            storeHeadline, why: ["no space is left on its disk, or none for this user"],
            fix: ["make room there", anotherStore]),
        "store_read_only": FailureText(
            storeHeadline,
            why: ["it is where nothing can be written, as on a file system that is mounted read-only"],
            fix: [anotherStore]),
        "store_denied": FailureText(
            storeHeadline,
            why: [
                "its folder or a file of it belongs to somebody else, or has another mode than flowrun gave it",
                "its folder is a symbolic link, which might lead to somebody else's",
            ],
            fix: [
                "make its folder and files this user's own, with the modes 0700 and 0600", anotherStore,
            ]),
        "store_unavailable": FailureText(
            storeHeadline, why: ["the system does not open it, as the reason says"],
            fix: [lookAtStore, anotherStore]),
        "store_damaged": FailureText(
            storeHeadline, why: ["a file of it is not what flowrun wrote"],
            fix: [
                lookAtStore, "bring the file back from a backup, where there is one",
                "flowrun store reset --yes deletes it with all its sessions, then sign in again",
            ]),
        "store_busy": FailureText(
            storeHeadline, why: ["another process holds the file"],
            fix: ["wait for that process, or end it", lookAtStore], isRetryable: true),
        "store_key": FailureText(
            storeHeadline, why: ["the key that its sessions are sealed with is gone or locked away"],
            fix: [
                "give it its key back; where that is lost: flowrun store reset --yes, then sign in again",
                lookAtStore,
            ]),
        "store_newer": FailureText(
            storeHeadline, why: ["a later flowrun has written it"],
            fix: ["bring flowrun up to date", anotherStore]),
        "wrong_passphrase": FailureText(
            "the passphrase does not open the session store",
            why: ["the store was sealed with another one"],
            fix: [
                "give the passphrase that it was sealed with   (flowrun store status says where the store is)",
                "where that is lost: flowrun store reset --yes, then sign in again",
            ]),
        "lock_timeout": FailureText(
            "another process renews this session and does not finish", why: [],
            fix: ["wait for it, or end it"],
            isRetryable: true),
        "missing_credential": FailureText(
            "the provider would refuse the client once somebody has signed in", why: [],
            fix: [
                "give the client what it registered: `secret:`, `privateKey:` or `certificate:` of ClientRegistration",
                "where it registered without, say so: ClientRegistration(clientID:authenticationMethod:) with .none",
            ]),
        "missing_part": FailureText(
            "the flow asks for something that is not there", why: [],
            fix: [
                "register closures under the names that the flow has for them, before the runner is made",
                "programs start in the folder of the flow's file, and keys are in the environment that is handed over",
            ]),
        "unusable_fault": FailureText(
            "the sandbox has no such fault", why: [],
            fix: ["give one of those that `Sandbox.faults` lists, such as token:500x2"]),
        "unusable_authorities": FailureText(
            "nobody can be trusted by the file of certificate authorities", why: [],
            fix: ["give a PEM file of those to trust, or leave it out for those of the system"]),
        "unusable_credential": FailureText(
            "the keys of the client cannot be used", why: [],
            fix: [
                "give `privateKey:` in PEM or as a JWK, without a passphrase",
                "give `certificate:` in PEM, and its key beside it: `certificateKey:`, or `privateKey:` where both are one",
            ]),
        "unusable_folder": FailureText(
            "a folder of the configuration can be none", why: [],
            fix: ["give the path of a folder that is the program's own, such as one below the user's home"]),
        "unusable_redirect_uri": FailureText(
            "no sign-in can come back to that redirect URI", why: [],
            fix: [
                "give the address of the server's route, or of the scheme of your own, whole and as it is registered with the "
                    + "provider; http is for this machine alone"
            ]),
        "unusable_ticket_key": FailureText(
            "no ticket can be sealed with these keys", why: [],
            fix: ["give one text or more of at least 32 random bytes, as   openssl rand -base64 32   prints"]),
        "hook_failed": FailureText(
            "a hook failed",
            why: [
                "its program, server or closure cannot be reached, took too long, or reported an error",
                "its answer is not of the form that hooks have, or not one that its point and its may allow",
                "it did not set what it declares under writes",
            ],
            fix: [
                "{trace}   shows what it was given and what came of it, of a program the last lines too",
                "flowrun hooks list {flow}   shows what it is given, and what it may answer",
                "a program can be run by hand with a call on its standard input; the page Hooks of the documentation, Sources/FlowEngine/FlowEngine.docc/Hooks.md, has one under \"Wire contract\"",
            ]),
        "crashed": FailureText(
            "the process ended in the midst of the run",
            why: ["flowrun itself has crashed, or something killed it", "the machine was shut down"],
            fix: [
                "flowrun journal   lists the runs that can go on",
                "flowrun resume RUN   goes on with the one of that name, where its step can be repeated",
                "{again}   begins anew",
            ]),
        "skipped": FailureText(
            "the step was passed over",
            why: [
                "its `if` did not hold, or a hook passed it over, and the flow routes that to a failure end"
            ],
            fix: ["{trace}   shows the condition, and what hooks decided"]),
        "failure": FailureText(
            "the flow came to an end of failure by itself",
            why: ["the flow routes that outcome there; nothing went wrong that has a code of its own"],
            fix: ["{trace}   shows the way that led there"]),
        "hook_outcome": FailureText(
            "a hook gave the answer this outcome",
            why: ["the hook looked at the answer and judged it so; the other side did not fail by itself"],
            fix: [
                "{trace}   shows the answer, and what hooks made of it",
                "{again} --no-hooks   shows the outcome without hooks",
            ]),
        "hook_refused": FailureText(
            "a hook refused to go on", why: ["it decided so, and its message says why"],
            fix: ["{trace}   shows what it was given"]),
        "randomness": FailureText(
            "the system gave no random bytes", why: [], fix: ["run it again"], isRetryable: true),
    ]

    private static let storeHeadline = "the session store cannot be used"
    private static let lookAtStore = "flowrun doctor   looks at the store and says what helps"
    private static let anotherStore =
        "name another place for it: XDG_DATA_HOME, and XDG_STATE_HOME for its locks"
}
