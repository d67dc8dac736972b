extension Array where Element: Sendable {
    /// What `transform` makes of each element, in the same order, computed on all processors.
    package func mapInParallel<Output: Sendable>(
        _ transform: @escaping @Sendable (Element) -> Output
    ) async -> [Output] {
        // How many neighbours one task takes, so that handing out the work costs little beside it.
        let stretch = 16
        guard count > stretch else { return map(transform) }
        return await withTaskGroup(of: (start: Int, outputs: [Output]).self) { group in
            for start in Swift.stride(from: 0, to: count, by: stretch) {
                // Wherever the caller's tasks run: that may be one thread.
                group.addTask(executorPreference: globalConcurrentExecutor) {
                    (start, self[start..<Swift.min(start + stretch, self.count)].map(transform))
                }
            }
            var parts: [(start: Int, outputs: [Output])] = []
            for await part in group { parts.append(part) }
            return parts.sorted { $0.start < $1.start }.flatMap(\.outputs)
        }
    }
}
