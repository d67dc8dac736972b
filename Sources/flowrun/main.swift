import FlowCLI

FlowCLI.start(Array(CommandLine.arguments.dropFirst()))
