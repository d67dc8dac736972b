package import OAuthProtocol
package import YAMLText

/// What a descriptor asks of the connections to its provider, beyond what every connection must satisfy.
package struct TLSFacts: Sendable {
    package let policy: TLSPolicy
    /// The pins that have a last day, in the order of the file.
    package let datedPins: [DatedPin]

    /// A pin that stops to match after a day.
    package struct DatedPin: Sendable, Hashable {
        package let pin: CertificatePin
        /// As written, such as `2027-01-31`.
        package let day: String
        /// Path of the file as shown, and the place of the day in it.
        package let file: String
        package let span: SourceSpan
    }
}

/// Pins that no longer match anything (FL098).
///
/// Only for callers that know the date: nothing else here looks at a clock.
package enum PinDates {
    /// - Parameter now: Milliseconds since 1970.
    package static func check(_ descriptor: ProviderDescriptor, now: Int64) -> [Diagnostic] {
        (descriptor.tls?.datedPins ?? []).filter { !$0.pin.isValid(at: now) }.map { dated in
            Diagnostic(
                code: "FL098", severity: .warning, file: dated.file, span: dated.span,
                message: "the pin has expired after \(dated.day) and matches nothing any more",
                hint: "show what the host has now: flowrun provider pins \(descriptor.id)")
        }
    }
}
