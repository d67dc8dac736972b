/// Commands that belong together, as the help shows them.
struct CommandGroup: Sendable {
    let title: String
    let commands: [CommandSpec]
}

extension CommandTable {
    /// Every command that a person types, in the order of the help: what is needed every day comes first.
    static let groups = [
        CommandGroup(
            title: "sign in, and use what that brings",
            commands: [login, logout, token, refresh, userinfo, status, exec, http, introspect, revoke]),
        CommandGroup(
            title: "flows: run and show them",
            commands: [run, plan, resume, journal, callback, flowList, flowShow, explore, graph]),
        CommandGroup(
            title: "flows: write them",
            commands: [
                flowNew, lint, format, test, kinds, schema, explain, hooksList, trust, untrust,
            ]),
        CommandGroup(
            title: "providers and the clients that are registered with them",
            commands: [
                providerList, providerShow, providerAdd, providerTest, providerDiscover, providerHosts,
                providerPins, register, sandbox,
            ]),
        CommandGroup(
            title: "traces of runs",
            commands: [
                traceList, traceShow, traceExport, traceDiff, traceRedact, traceVerify, traceReplay,
            ]),
        CommandGroup(
            title: "the store of the sessions",
            commands: [storeStatus, storeCheck, storeSeal, storeExport, storeImport, storeReset]),
        CommandGroup(
            title: "tokens: for other programs, and to look into",
            commands: CredentialRequest.Helper.allCases.map(credential) + [
                setupGit, setupDocker, setupKubectl, jwtDecode, jwtVerify, jwtSign, pkce,
            ]),
        CommandGroup(
            title: "flowrun itself",
            commands: [
                doctor, configPath, configExplain, configGet, configSet, schemeRegister, schemeUnregister,
                schemeList, completion, manual, version, help,
            ]),
    ]

    static let all = groups.flatMap(\.commands)

    /// Commands that no person types: the help does not name them.
    static let hidden = [complete]
}
