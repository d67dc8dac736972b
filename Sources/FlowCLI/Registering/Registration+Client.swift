internal import FlowLanguage

extension Registration {
    /// Keeps another client from taking the place of one that was registered from here (RFC 7592): what lets that one be
    /// changed and ended would stay in the entry and speak of the other.
    func checkManagement(by clientID: String?) throws(Problem) {
        guard let clientID, let known = self.clientID?.value, managementURI != nil, known != clientID else {
            return
        }
        throw Problem(
            .usage, "\(file) has the client \(known) for \(provider), which flowrun has registered",
            hints: [
                "end it there first: flowrun register \(provider) --delete",
                "or take its entry out of \(file)",
            ])
    }
}
