internal import FlowEngine

/// What `step.end` says of how the way on was found.
extension JSONLineWriter {
    mutating func members(of resolution: TracedResolution) {
        array("lines", of: resolution.lines) { writer, line in
            writer.element {
                $0.member("reason", line.reason)
                $0.member("selector", line.selector)
                $0.member("place", ifPresent: line.place)
                $0.member("verdict", line.verdict.rawValue)
            }
        }
        array("alternatives", of: resolution.alternatives) { writer, alternative in
            writer.element {
                $0.member("to", alternative.target)
                $0.member("place", alternative.place)
                $0.member("if", ifPresent: alternative.condition)
                $0.values("read_values", alternative.values)
                if let maximum = alternative.maximum {
                    $0.member("max", Int64(maximum))
                    $0.member("used", Int64(alternative.used))
                }
                $0.member("verdict", alternative.verdict.rawValue)
            }
        }
        guard let retry = resolution.retry else { return }
        object("retry") {
            $0.member("place", retry.place)
            $0.member("from", word: retry.isDefault ? "defaults" : "step")
            $0.member("outcomes", retry.outcomes)
            $0.member("attempts", Int64(retry.attempts))
            $0.member("allowed", Int64(retry.allowed))
            $0.member("verdict", retry.verdict.rawValue)
        }
    }
}
