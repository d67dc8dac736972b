/// What a protected resource says of a request that it refuses.
package enum ResourceRefusal {
    /// The challenge first, for it is what RFC 6750 §3 speaks of; what it leaves unsaid is taken out of the body.
    ///
    /// - Returns: `nil` where neither names an error; the body may have words all the same.
    package static func error(
        in response: HTTPResponse, dialect: ResponseDialect = .standard
    ) -> OAuthError? {
        let body = dialect.error(inFailure: response)
        let challenge = response.challenges.lazy.compactMap(\.oauthError).first
        guard let error = challenge ?? body else { return nil }
        guard error.description == nil else { return error }
        return OAuthError(
            code: error.code, description: words(in: response, dialect, beside: error.code), uri: error.uri)
    }

    /// What the body says: a sentence, else the name of an error other than the one that is known.
    ///
    /// - Returns: Made fit to show; `nil` where the body says nothing.
    package static func words(
        in response: HTTPResponse, _ dialect: ResponseDialect = .standard, beside code: String? = nil
    ) -> String? {
        let body = dialect.error(inFailure: response)
        // What somebody was meant to read is no word about a failure.
        let sentence = response.status < 400 ? nil : ForeignAnswer.words(in: response)
        return body?.description ?? sentence ?? (body?.code == code ? nil : body?.code)
    }
}
