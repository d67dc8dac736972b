/// Steps that reach beyond the provider: other servers, other flows, the host program, time (flow/1 §6, §8).
extension KindTable {
    static let http = KindSpec(
        kind: .http, summary: "call another endpoint of an allowed origin",
        arguments: [
            ArgumentSpec(
                name: "method", form: .word(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]),
                standard: "GET", summary: "request method"),
            ArgumentSpec(
                name: "operation", form: .expression(.optional(.string)), standard: nil,
                summary: "a request that the provider's descriptor describes under operations"),
            ArgumentSpec(
                name: "url", form: .expression(.optional(.url)), standard: nil,
                summary:
                    "one of the provider's endpoints, an address of the flow or of an input, or what allowed_url lets pass"
            ),
            ArgumentSpec(
                name: "query", form: .values, standard: nil, summary: "parameters for the query"),
            ArgumentSpec(name: "headers", form: .templates, standard: nil, summary: "header fields"),
            ArgumentSpec(name: "json", form: .payload, standard: nil, summary: "body, sent as JSON"),
            ArgumentSpec(name: "form", form: .fields, standard: nil, summary: "body, sent as a form"),
            ArgumentSpec(
                name: "auth", form: .word(["none", "bearer", "client", "api_key", "basic"]), standard: "none",
                summary: "what proves who asks"),
            ArgumentSpec(
                name: "use", form: .optionalTokenSet, standard: "main for auth: bearer",
                summary: "token set whose access token is sent"),
            ArgumentSpec(
                name: "into", form: .optionalTokenSet, standard: nil,
                summary: "token set that the extracted fields form"),
            ArgumentSpec(
                name: "idempotent", form: .bool, standard: "true for GET and HEAD",
                summary: "whether sending it twice does no more than sending it once"),
            ArgumentSpec(
                name: "expect", form: .statuses, standard: nil, summary: "outcomes of further statuses"),
            ArgumentSpec(
                name: "classify", form: .classification, standard: nil,
                summary: "conditions over status, headers and body, before the usual reading"),
            ArgumentSpec(
                name: "out", form: .extraction, standard: nil, summary: "fields, by JSON pointer and type"),
        ],
        fields: [
            FieldSpec(name: "status", type: .int),
            FieldSpec(name: "headers", type: .map, label: .untrusted),
            FieldSpec(name: "body", type: .json, label: .untrusted),
        ],
        outcomes: outcomes(
            [
                .ok: .success, .unauthorized: .grant, .insufficientScope: .grant, .insufficientAuth: .grant,
                .rejected: .config,
            ],
            [
                .network: .transient, .unanswered: .transient, .serverError: .transient,
                .rateLimited: .transient,
            ],
            [.malformed: .data]),
        replay: .once, isInteractive: false, tokens: .obtains, isOpen: true)

    static let wait = KindSpec(
        kind: .wait, summary: "wait for a time or for an event of the host",
        arguments: [
            ArgumentSpec(
                name: "for", form: .expression(.optional(.duration)), standard: nil, summary: "how long"),
            ArgumentSpec(
                name: "until", form: .expression(.optional(.time)), standard: nil, summary: "until when"),
            ArgumentSpec(
                name: "event", form: .expression(.optional(.string)), standard: nil,
                summary: "name of the event, for any run that waits; the step's timeout bounds the wait"),
        ],
        fields: [FieldSpec(name: "data", type: .optional(.json), label: .untrusted)],
        outcomes: outcomes([.ok: .success, .timeout: .limit]), replay: .local, isInteractive: true)

    static let subflow = KindSpec(
        kind: .subflow, summary: "run another flow; its ends are the outcomes",
        arguments: [
            ArgumentSpec(
                name: "flow", form: .flow, standard: nil, summary: "name of a flow, or of an imported one",
                isRequired: true),
            ArgumentSpec(
                name: "inputs", form: .inputs, standard: nil, summary: "values for the other flow's inputs"),
            ArgumentSpec(
                name: "into", form: .optionalTokenSet, standard: nil,
                summary: "token set that takes over the other flow's main"),
        ],
        fields: [], outcomes: [], replay: .local, isInteractive: false, tokens: .obtains, isOpen: true)

    static let call = KindSpec(
        kind: .call, summary: "ask the host program through a port that calls declares",
        arguments: [
            ArgumentSpec(name: "port", form: .port, standard: nil, summary: "which port", isRequired: true),
            ArgumentSpec(
                name: "args", form: .portArguments, standard: nil, summary: "arguments that the port declares"
            ),
        ],
        fields: [], outcomes: outcomes([.portFailed: .internal]), replay: .local, isInteractive: false,
        isOpen: true)
}
