internal import YAMLText

// The rules by family, in the order of their codes. Long lines: one rule, one entry.

extension FlowRule {
    /// Found while the text is read: by `YAMLText` and by the expression compiler.
    static let text: [FlowRule] = [
        FlowRule(
            "FL001", "YAML syntax",
            "the text is not YAML, or not JSON where that is wanted; the place and what was open there are shown"
        ),
        FlowRule(
            "FL002", "file limits",
            "a file can be read; it is UTF-8 without tabs for indentation, one document, at most 256 KiB, 16 levels and 10 000 nodes"
        ),
        FlowRule(
            "FL003", "unquoted template",
            "inside { } and [ ] YAML reads the braces of ${...} itself: quote it"),
        FlowRule("FL004", "duplicate key", "a key may be written once; the first place is shown"),
        FlowRule(
            "FL005", "boolean key",
            "other YAML tools read on, off, yes, no, y and n as booleans: rename the key"),
        FlowRule("FL006", "anchor, alias, merge key or tag", "a flow file says each thing where it holds"),
        FlowRule(
            "FL007", "template out of place",
            "conditions are expressions already, and some texts are taken as they are written: drop the ${ }"),
        FlowRule("FL008", "expression syntax", "the expression cannot be read; the place is shown"),
        FlowRule("FL009", "unknown function", "unknown function, or the wrong number or types of arguments"),
        FlowRule(
            "FL054", "type mismatch", "an operator, a guard, an assignment or an argument needs another type"),
        FlowRule(
            "FL055", "optional value",
            "a value that may be missing stands where one is required: write ?? or test has()"),
        FlowRule(
            "FL056", "large expression", "an expression has at most 1 024 characters, 64 nodes and 12 levels"),
        FlowRule(
            "FL057", "pattern",
            "the pattern of matches is a literal of RFC 9485 (I-Regexp) without anchors, and of bounded size"),
        FlowRule(
            "FL109", "name in place of its value", "a text is the name of a value, without ${ } around it",
            severity: .warning),
        FlowRule(
            "FL107", "legacy digest", "md5 keeps no attacker out: it is for providers that ask for it",
            severity: .info),
    ]

    static let structure: [FlowRule] = [
        FlowRule("FL010", "unknown key", "every key is known to the language; x- keys are left alone"),
        FlowRule("FL011", "missing key", "a required key is missing, or its value has the wrong shape"),
        FlowRule(
            "FL012", "language level",
            "the file asks for a level of the language that this flowrun does not know"),
        FlowRule("FL013", "ambiguous name", "steps and ends share one name space: next could mean either"),
        FlowRule(
            "FL014", "malformed id",
            "ids start with a letter a-z and go on with a-z, 0-9 and _; - is minus in expressions"),
        FlowRule("FL015", "unknown kind", "the step has no do, and its id is no kind, or do names no kind"),
        FlowRule(
            "FL016", "wrong argument",
            "with has an argument that the kind does not know, or one of the wrong form"),
        FlowRule(
            "FL017", "unknown provider alias", "provider names an alias that providers does not declare"),
        FlowRule("FL018", "unknown outcome class", "any. is followed by one of the classes of outcomes"),
        FlowRule("FL019", "impossible outcome", "the kind of the step cannot end with this outcome"),
    ]

    static let routing: [FlowRule] = [
        FlowRule("FL020", "unknown start", "start names no step"),
        FlowRule("FL021", "unknown target", "an edge leads to a name that is neither a step nor an end"),
        FlowRule(
            "FL022", "unknown sub-flow",
            "a flow, or a part of an imported file, does not exist, runs itself, is too large, or gets other inputs than "
                + "it takes"
        ),
        FlowRule(
            "FL023", "unknown port",
            "call names a port that calls does not declare, or gives it other arguments than it takes"),
        FlowRule("FL024", "edge without target", "an edge needs to"),
        FlowRule("FL025", "outcome without destination", "every outcome of every step goes somewhere"),
        FlowRule(
            "FL026", "list of edges that is not total",
            "the last edge of a list has no if and no max, so that one is always taken"),
        FlowRule(
            "FL027", "edge that is never tried", "it stands after an edge that is always taken",
            severity: .warning),
        FlowRule(
            "FL028", "constant condition", "the condition has the same value in every run", severity: .warning
        ),
        FlowRule(
            "FL029", "handler that this provider never needs",
            "the descriptor rules the outcome out; the handler serves other providers (lint --provider)",
            severity: .info),
        FlowRule("FL030", "unreachable step", "no path from start leads to the step"),
        FlowRule("FL031", "end never reached", "no path from start leads to the end", severity: .warning),
        FlowRule("FL032", "step without end", "no end can be reached from the step"),
        FlowRule("FL033", "no success", "no path from start leads to an end with result success"),
        FlowRule("FL034", "unbounded loop", "every loop has an edge with max or a step with visits"),
        FlowRule(
            "FL035", "retries longer than the deadline",
            "all attempts with their waits cannot fit into the deadline of the step or the flow",
            severity: .warning),
        FlowRule(
            "FL036", "budget that never matters",
            "max is 0, or not below the visits that the step may have anyway",
            severity: .warning),
    ]

    static let data: [FlowRule] = [
        FlowRule(
            "FL040", "wrong from",
            "from names the step whose transaction goes on; it may be left out when there is one"),
        FlowRule("FL041", "wrong order", "a transaction is answered once and its code is redeemed once"),
        FlowRule(
            "FL042", "token set not set",
            "the step needs tokens that some path to it has not obtained, or has obtained of another provider"
        ),
        FlowRule("FL043", "unknown variable", "save writes variables that vars declares"),
        FlowRule("FL044", "unknown output", "an end gives values to outputs that outputs declares"),
        FlowRule("FL045", "missing output", "a success end sets every output whose type is not optional"),
        FlowRule(
            "FL046", "unknown name",
            "the expression names an input, variable, step or token set that does not exist"),
        FlowRule(
            "FL047", "possibly undefined value", "some path arrives without the value: write ?? or test has()"
        ),
        FlowRule(
            "FL048", "out without a step", "out is known on the edges, save, assert and after-hooks of a step"
        ),
        FlowRule("FL049", "unknown field", "the kind of the step does not leave such a field behind"),
    ]

    static let protection: [FlowRule] = [
        FlowRule("FL050", "unsafe retry", "nobody knows whether the credential was used; it works only once"),
        FlowRule(
            "FL051", "retry of a security outcome",
            "a failed check is final: trying again helps only an attacker"),
        FlowRule(
            "FL052", "unsafe second attempt",
            "the edge enters the step again with a credential that may have been used"),
        FlowRule(
            "FL053", "retry without effect", "no outcome of the step is tried again", severity: .warning),
        FlowRule(
            "FL058", "owned parameter",
            "extra, headers, params or rename names a parameter or field that the engine or the transport sets itself"
        ),
        FlowRule(
            "FL060", "unverified ID token", "tokens reach store or a success end without verify_id_token"),
        FlowRule(
            "FL061", "client credentials",
            "the engine authenticates the client itself; a flow never sees the secret"),
        FlowRule(
            "FL062", "secret in public text",
            "a value flows where more people see it than may: into a text, a URL, an output, a condition"),
        FlowRule(
            "FL063", "untrusted destination",
            "where a request or a person is sent is decided by trusted values, or by what allowed_url lets pass"
        ),
        FlowRule(
            "FL064", "security failure ends in success",
            "after a failed check only a new authorization leads to success"),
        FlowRule(
            "FL065", "success by unverified claims",
            "whether the flow succeeds depends on what anybody may have sent, or on an address nobody verified",
            severity: .warning),
        FlowRule(
            "FL066", "literal credential", "credentials belong to the registration, never to a flow file"),
        FlowRule("FL067", "insecure address", "http:// is only for this machine"),
        FlowRule(
            "FL068", "weakened protocol",
            "response types, PKCE, state, nonce, algorithms and TLS are not a flow's to choose"),
        FlowRule(
            "FL069", "folded identifier",
            "an identifier is compared as it is: after lower, upper or trim two of them may be one",
            severity: .warning),
    ]

    static let hooks: [FlowRule] = [
        FlowRule("FL070", "unknown hook key", "hooks have their own keys"),
        FlowRule("FL071", "unknown hook point", "at names one of the points at which hooks fire"),
        FlowRule("FL072", "duplicate hook id", "the id of a hook is unique in the flow"),
        FlowRule("FL073", "hook action", "a hook has exactly one action"),
        FlowRule(
            "FL074", "unknown hook filter",
            "a filter of the hook names a step or a kind that does not exist"),
        FlowRule("FL075", "unknown hook variable", "writes and set name variables that vars declares"),
        FlowRule(
            "FL076", "write to protocol state", "hooks write variables, never what the engine has verified"),
        FlowRule(
            "FL077", "argument that is not literal",
            "a program's arguments are literal; values reach it on standard input"),
        FlowRule("FL078", "secret without grant", "a secret is handed to a hook only when grants lists it"),
        FlowRule(
            "FL079", "hook that never fires", "the filters of the hook match nothing", severity: .warning),
        FlowRule(
            "FL080", "value of an optional hook",
            "only a hook that may fail sets the variable, so it may be missing"),
        FlowRule(
            "FL081", "unsafe program",
            "the program of a hook or port is missing, not executable, writable by everybody, or outside of the flow's folder, or is given a variable that it may not have; a warning for a name that PATH does not have"
        ),
        FlowRule(
            "FL082", "unsafe hook URL", "a hook is called by https or on this machine, and the call is signed"
        ),
        FlowRule("FL083", "hook closes a loop", "goto leads back to a step on the way, without a bound"),
        FlowRule(
            "FL084", "hook without simulation", "a dry run does not know what the hook would write",
            severity: .info),
        FlowRule(
            "FL085", "hook beyond its point", "each point lets its hooks do certain things and no others"),
    ]

    static let binding: [FlowRule] = [
        FlowRule(
            "FL088", "metadata that is never fetched",
            "the descriptor speaks of metadata and leaves no sign-in a reason to ask for it",
            severity: .warning),
        FlowRule(
            "FL089", "file under another name",
            "a provider is found by the name of its file, and known by the name in it: call both the same",
            severity: .warning),
        FlowRule(
            "FL090", "missing capability",
            "the provider has no endpoint that the step needs, and the step does not route unsupported by name"
        ),
        FlowRule(
            "FL091", "unknown scope", "the provider lists its scopes, and this is none of them",
            severity: .warning),
        FlowRule(
            "FL092", "unsupported wish", "the provider lists no such acr, prompt or response_mode",
            severity: .warning),
        FlowRule(
            "FL093", "unsupported authentication",
            "the provider takes neither the client's authentication method nor its algorithm"),
        FlowRule("FL094", "impossible redirect", "the provider takes no redirect of this kind"),
        FlowRule(
            "FL095", "rotation without a lock",
            "two processes could send the same refresh token, which revokes the grant", severity: .warning),
        FlowRule("FL096", "foreign origin", "an http step calls a server that the descriptor does not name"),
        FlowRule(
            "FL097", "pin without a backup", "a new key of the host would end every sign-in",
            severity: .warning),
        FlowRule(
            "FL098", "expired pin", "the last day of a pin is over, so that it matches nothing",
            severity: .warning),
        FlowRule(
            "FL099", "registration that does not fit",
            "a registration names a provider, environment or variable that is not there, or a value that does not fit"
        ),
        FlowRule(
            "FL103", "name that nothing reads",
            "a rule of the descriptor names a parameter that no request has, or a member that nothing reads",
            severity: .warning),
        FlowRule(
            "FL104", "profile of nobody", "no member of the profile tells one person from another",
            severity: .warning),
        FlowRule(
            "FL105", "relaxed check", "the descriptor lets a check against attackers go unheeded",
            severity: .warning),
        FlowRule(
            "FL106", "claim that finds nothing",
            "a claim's path leads nowhere in the example of the answer, or no answer has such members",
            severity: .warning),
        FlowRule(
            "FL108", "missing provider", "the flow runs with a provider by default that there is no file of",
            severity: .warning),
    ]

    static let tests: [FlowRule] = [
        FlowRule(
            "FL100", "impossible assumption",
            "the test assumes an outcome that the step cannot have, or an unknown step"),
        FlowRule(
            "FL101", "impossible expectation",
            "the test expects an end, a step or a name that does not exist, or gives an input a value out of its bounds"
        ),
        FlowRule(
            "FL102", "outcome without a test",
            "no test of the flow passes through this outcome of the step (lint --coverage)",
            severity: .warning),
    ]
}
