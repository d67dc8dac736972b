@testable import FlowLanguage

/// The reference page of flow files, as Markdown, from the same table as their schema.
///
/// A file of the documentation holds exactly this text; a test says when it is out of date.
enum FlowPage {
    static var markdown: String {
        "\(preface)\n" + sections.map(\.markdown).joined()
            + "\(routing)\n\(classes)\n\(expressions)\n\(names)\n\(labels)"
    }

    // MARK: Keys

    private static let sections = [
        ShapeSection(
            title: "The file", text: "Keys that begin with `x-` belong to other tools.",
            keys: FlowShape.flow.map {
                KeyShape($0.name, plain($0), $0.summary, isRequired: $0.isRequired, standard: $0.standard)
            }),
        ShapeSection(
            title: "providers",
            text:
                "A flow without this key has one provider, `main`. `--provider` binds it; of several `--provider ALIAS=NAME` "
                + "binds each, and steps say by `provider` which they are about; `choose`, `set`, `wait` and `call` need none. "
                + "Capabilities that the steps imply need not be listed.",
            keys: FlowShape.provider),
        ShapeSection(
            title: "inputs",
            text:
                "`NAME: TYPE`, or these keys. `--input NAME=VALUE` gives one; without `default` it must be given, unless its "
                + "type is optional. An expression reads `inputs.NAME`.",
            keys: FlowShape.input),
        ShapeSection(
            title: "vars",
            text:
                "`NAME: TYPE`, or these keys. `save` of a step or an edge and hooks that list the variable under `writes` set "
                + "it; an expression reads `vars.NAME`, which must then be set on every way there.",
            keys: FlowShape.variable),
        ShapeSection(
            title: "limits", text: "A run that reaches one ends through `failed`.", keys: FlowShape.limits),
        ShapeSection(
            title: "defaults",
            text: "`defaults.next` never routes a success, and a choice by its name or `any.choice` only.",
            keys: FlowShape.defaults),
        ShapeSection(
            title: "steps", text: "Every key is one step's. <doc:Kinds> has what is special to each kind.",
            keys: FlowShape.step.map { key in
                // It has a section of its own.
                let value = key.name == "assert" ? .named("assertion", key.value) : key.value
                return KeyShape(key.name, value, key.summary, standard: key.standard)
            }),
        ShapeSection(
            title: "Edges",
            text:
                "`next` is the name of a step or an end, for every success; or outcomes with edges; or, with `choose`, a list "
                + "of edges. An edge is a name or these keys. In a list the first counts whose `if` holds and whose `max` is "
                + "not used up; the last one has neither, so that there is always a way.",
            keys: FlowShape.edgeKeys),
        ShapeSection(
            title: "assert",
            text:
                "A condition, these keys, or a list of both. What does not hold is the outcome `assertion_failed`.",
            keys: FlowShape.assertionKeys),
        ShapeSection(
            title: "retry",
            text:
                "What could redeem a single-use code or refresh token a second time is not tried again; where it is named all "
                + "the same, FL050 says so. Nor is what is known to fail in the same way: a certificate that nobody trusts, a "
                + "setting of this machine. `ALIAS.retry` in its place is what an imported file has under `defaults.retry`.",
            keys: FlowShape.retry),
        ShapeSection(
            title: "calls",
            text:
                "A port is a question to the program around the flow, which a step of kind `call` asks. A native closure of "
                + "the host program answers, or the program that `exec` names.",
            keys: FlowShape.call),
        ShapeSection(
            title: "ends",
            text:
                "An expression of an end reads `error.code`, `error.step`, `error.outcome` and `error.message` beside "
                + "everything else.",
            keys: FlowShape.end),
        ShapeSection(
            title: "tests",
            text:
                "`flowrun test` runs them; nothing is sent. `assume` says how steps end that would else end well.",
            keys: FlowShape.test),
    ]

    /// The form of a key of the file without the keys below it: these have sections of their own.
    private static func plain(_ key: KeyShape) -> ValueShape {
        switch key.value {
        case .ids, .names, .keys, .steps: .keys([])
        case .list: .list(.keys([]))
        default: key.value
        }
    }

    // MARK: Words

    private static let preface = """
        # Flows

        Every key of a flow file: its values, what holds without it, and what it means.

        ## Overview

        A flow is data: a table of steps, each of which ends with one outcome, and of ways from every outcome to the next \
        step or to an end. `flowrun lint` proves that every outcome leads somewhere, that every loop ends, that no value is \
        read before it is there, that no token is stored which was not verified, and that no secret comes where it could be \
        read. State, nonce, PKCE and the checks of answers belong to the kinds of steps; no flow can leave them out.

        This page is made from the table that the schema for editors (`flowrun schema flow`) is made from. <doc:WriteAFlow> \
        builds a flow from nothing; <doc:Kinds> has the kinds of steps, the functions and the checks; <doc:Hooks> has the \
        hooks.

        YAML is read narrowly: one document of UTF-8, of 256 KiB at most, without anchors, tags and repeated keys. `true`, \
        `false`, `null` and decimal numbers are themselves, everything else is text. Inside `{ }` and `[ ]` a `${...}` is \
        quoted. A duration is written `250ms`, `20s`, `5m`, `24h` or `30d`.

        """

    private static let routing = """
        ## Where an outcome leads

        The first that says something: the outcome in the step's `next`; its class there, as `any.transient`; `any` there; the \
        outcome in `defaults.next`; its class there; `any` there. What nothing routes is a finding (FL025). `any` stands for \
        neither successes nor choices.

        """

    private static let classes = """
        ## Classes of outcomes

        \(ReferencePage.table(["Class", "Means", "Mostly leads to"], OutcomeClass.allCases.map(row)))
        """

    private static func row(_ outcomeClass: OutcomeClass) -> [String] {
        let (meaning, place) =
            switch outcomeClass {
            case .success: ("the step did its work", "the next step")
            case .choice: ("another way, on which nothing went wrong", "a step of its own")
            case .denied: ("the person or the provider said no", "an end")
            case .grant: ("a credential is not, or no longer, good", "`refresh`, `authorize` or an end")
            case .config: ("the registration or the request is wrong", "an end")
            case .transient: ("it may work later", "a retry, then an end")
            case .security:
                ("a check against an attacker failed", "an end, or a new `authorize`; nowhere else")
            case .data: ("an answer cannot be used", "an end")
            case .limit: ("a bound was reached", "an end")
            case .internal: ("the store, a port or flowrun itself failed", "an end")
            }
        return [ReferencePage.code(outcomeClass.rawValue), meaning, place]
    }

    private static let expressions = """
        ## Expressions

        A template is a text with `${...}`; one that is nothing else keeps the type of its value. `$${` is a `${`. A condition \
        (`if`, `assert`) is an expression without `${ }`.

        | Written | Is |
        | --- | --- |
        | `'text'`, `5`, `1.5`, `30s`, `true`, `null`, `['a', 'b']` | a value; `''` inside of a text is one `'` |
        | `a.b`, `a['any name']`, `a[0]` | a member |
        | `!a`, `a && b`, `a \\|\\| b` | not, and, or |
        | `a == b`, `a != b`, `a < b`, `a <= b`, `a > b`, `a >= b`, `a in b` | comparisons, of one type; not chained |
        | `a ?? b` | `a`, or `b` where `a` is not set |
        | `a + b`, `a - b` | sums of whole numbers, times and lengths of time; texts are joined by templates |
        | `name(a, b)` | a function (<doc:Kinds>) |

        A value that may be missing has an optional type. It is used after `?? ` and another value, or where `has(...)` has \
        been asked before: in the same condition behind `&&`, on the edge or in the step with that `if`. A member of JSON is \
        always optional; `string()`, `int()`, `bool()` and their like turn it into a type, or into nothing. So does `??`, by \
        the type of what follows it; before `?? []` JSON is a list of JSON, whatever its elements are. A literal such as \
        `'https://a.example/'` is a `url` where it follows one.

        Types are `string`, `int`, `number`, `bool`, `time`, `duration`, `bytes`, `url`, `json`, `map`, `secret`, `sensitive`, \
        `tokenset`, `list<T>`, `object` with `fields`, and `optional T` of each.

        """

    private static var names: String {
        let members = TokenSetRow.members.map { ReferencePage.code($0.name) }.joined(separator: ", ")
        let facts = ProviderMember.allCases.map { ReferencePage.code($0.rawValue) }.joined(separator: ", ")
        let rows = [
            ["`inputs.NAME`, `vars.NAME`", "inputs and variables"],
            ["`steps.STEP.FIELD`", "a field of a step that has run, or of its failure"],
            ["`out.FIELD`", "the same of this step: in its `save`, `assert`, edges and hooks after it"],
            ["`tokens.SET.MEMBER`", "of a token set: \(members)"],
            ["`provider.MEMBER`", "of the step's provider: \(facts), and the keys of its file's `values`"],
            ["`client.id`", "the registered client"],
            [
                "`run.id`, `run.now`, `run.dry_run`",
                "the run; `now` is when the step was entered, before the first when the run began",
            ],
            [
                "`error.code`, `error.step`, `error.outcome`, `error.message`",
                "in ends and in hooks at `flow.error`",
            ],
        ]
        return """
            ## Names

            \(ReferencePage.table(["Name", "Is"], rows))
            """
    }

    private static let labels = """
        ## What may go where

        Every value bears a label, by its source and through every expression.

        | Label | Bears it |
        | --- | --- |
        | `secret` | tokens, codes, secret inputs and fields |
        | `sensitive` | user codes, addresses with `state`, what is declared so; traces do not show it |
        | `pii` | claims and profiles |
        | `untrusted` | parameters of callbacks, bodies of `http` answers, inputs with that label |
        | `asserted` | UserInfo claims other than `sub` |

        | Place | Takes |
        | --- | --- |
        | `message` of an end | nothing but public values |
        | headers, addresses, `error`, `note`, `emit`, arguments of programs, `key` of a store | up to `pii` |
        | `form` and `json` of `http`, arguments of ports, `grants` of hooks | secrets too |
        | the host of an address, a redirect | trusted values, or what `allowed_url(value, list)` lets pass |
        | a condition | no secret but through `has()`, `==` and `!=`; FL065 warns where an untrusted value decides a success |
        | an output | secrets only when it is declared `secret` |

        `fingerprint()`, `sha256()`, `length()` and `mask_email()` make something public of a value that is not.

        """
}
