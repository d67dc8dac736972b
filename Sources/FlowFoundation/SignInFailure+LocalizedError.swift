public import FlowEngine
public import FoundationEssentials

/// For programs that use Foundation; flowrun itself does without it.
extension SignInFailure: LocalizedError {}
