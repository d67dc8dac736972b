import FlowCLI
import Glibc

// The process has one thread here, as taking signals needs; everything after the `await` leaves the main actor.
let surroundings = Surroundings.ofProcess()
exit(await FlowCLI.main(Array(CommandLine.arguments.dropFirst()), surroundings))
