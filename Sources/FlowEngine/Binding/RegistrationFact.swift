/// A value of a client's registration and the layer that it is from, of all that could have said it.
package struct RegistrationFact: Sendable, Hashable {
    /// As in `flowrun.yaml`, or the name of a variable.
    package let name: String
    /// Of a secret no more than where it lies.
    package let value: String
    /// As `--client-id`, `variable ACME_CLIENT_ID` or `flowrun.yaml:4`.
    package let source: String

    package init(name: String, value: String, source: String) {
        self.name = name
        self.value = value
        self.source = source
    }
}
