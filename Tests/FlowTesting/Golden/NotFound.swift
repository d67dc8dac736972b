package import Testing

/// Fails the test at this line: what it would look at is not there.
package func notFound(sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record("what the test looks at is not there", sourceLocation: sourceLocation)
}
