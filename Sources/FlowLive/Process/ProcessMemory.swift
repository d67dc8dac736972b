internal import CLinux

/// The memory of this process, which holds tokens.
package enum ProcessMemory {
    /// Has the kernel write no core file of it, and let no other process of this user read it.
    ///
    /// Holds until the process becomes another program.
    package static func conceal() { _ = fr_conceal_memory() }
}
