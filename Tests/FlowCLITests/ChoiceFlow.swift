/// Flows without a provider that matters.
enum ChoiceFlow {
    /// A flow that ends where its only check says.
    static let text = """
        language: flow/1
        flow: choice
        summary: Chooses.
        providers:
          main: {default: sandbox}
        inputs:
          go: {type: bool, default: true}
          note: {type: optional secret, env: NOTE}
        outputs:
          where: string
        start: pick
        steps:
          pick:
            do: choose
            next:
              - {to: left, if: "inputs.go"}
              - right
        ends:
          left: {result: success, outputs: {where: left}}
          right: {result: failure, exit: 5}
        tests:
          - name: goes left
            expect: {end: left, path: [pick], outputs: {where: left}}
          - name: goes right
            inputs: {go: false}
            expect: {end: right}

        """

    static let other =
        "language: flow/1\nflow: other\nstart: clear\nsteps: {clear: {next: {ok: done, any: done}}}\n"
        + "ends: {done: {result: success}}\n"
}
