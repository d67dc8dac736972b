package import JOSE
internal import OAuthProtocol

/// Reports of the world as JSON and back, without loss: what a journal keeps. Secrets are in clear.
package enum InputCoding {
    package static func encode(_ event: InputEvent) -> JSONObject {
        var json: JSONObject = ["is": .string(event.word)]
        switch event {
        case .start, .done, .callbackCancelled, .nothingKept, .noSession, .conflict, .locked, .woke,
            .eventTimedOut, .suspended:
            break
        case .cancelled(let delivery): json["delivered"] = .bool(delivery == .perhapsDelivered)
        case .randomness(let bytes): json["bytes"] = encoded(bytes)
        case .key(let key): json["key"] = .string(key.reveal())
        case .answered(let response, let timing):
            json["answer"] = .object(ResponseCoding.encode(response))
            json["ms"] = (timing?.total).map { .int($0) }
        case .unanswered(let trouble):
            json["delivered"] = .bool(trouble.delivery == .perhapsDelivered)
            json["cause"] = .string(trouble.cause)
            json["text"] = .string(trouble.message)
            json["refusal"] = .bool(trouble.isRefusal)
        case .redirectOpened(let text), .redirectFailed(let text), .presented(let text),
            .headless(let text),
            .sessionCorrupt(let text), .storeFailed(let text), .lockTimedOut(let text),
            .journalFailed(let text):
            json["text"] = .string(text)
        case .callback(let parameters, let channel):
            json["channel"] = .string(channel)
            json["parameters"] = .array(
                parameters.map { .array([.string($0.name), .string($0.value)]) })
        case .callbackTimedOut(let refused): json["refused"] = .int(Int64(refused))
        case .metadata(let metadata, let origin):
            json["document"] = .object(metadata.document)
            json["issuer"] = metadata.fields.issuer.map { .string($0) }
            json["document_issuer"] = .string(metadata.documentIssuer)
            if !metadata.amended.isEmpty {
                json["amended"] = .array(metadata.amended.sorted().map { .string($0) })
            }
            json["origin"] = .object(OriginCoding.encode(origin))
        case .keys(let keys, let origin):
            json["document"] = keys.document
            json["origin"] = .object(OriginCoding.encode(origin))
        case .session(let stored):
            json["bytes"] = encoded(stored.bytes)
            json["generation"] = .int(stored.generation)
            json["in_doubt"] = .bool(stored.isInDoubt)
        case .saved(let generation): json["generation"] = .int(generation)
        case .hook(let reply): HookCoding.encode(reply, &json)
        case .event(let value): json["value"] = value
        case .port(let reply): PortCoding.encode(reply, &json)
        }
        return json
    }

    /// - Returns: `nil` for what `encode` does not write.
    package static func decode(_ json: JSONObject) -> InputEvent? {
        guard let word = json["is"]?.stringValue else { return nil }
        let text = json["text"]?.stringValue
        switch word {
        case "start": return .start
        case "done": return .done
        case "callback cancelled": return .callbackCancelled
        case "nothing kept": return .nothingKept
        case "no session": return .noSession
        case "conflict": return .conflict
        case "locked": return .locked
        case "woke": return .woke
        case "event timed out": return .eventTimedOut
        case "cancelled":
            return .cancelled(
                delivery: json["delivered"]?.boolValue == true ? .perhapsDelivered : .notDelivered)
        case "randomness": return bytes(json).map { .randomness($0) }
        case "key": return json["key"]?.stringValue.map { .key(Secret($0, kind: .other)) }
        case "answered": return answered(json)
        case "unanswered": return unanswered(json)
        case "redirect opened": return text.map { .redirectOpened(uri: $0) }
        case "redirect failed": return text.map { .redirectFailed(reason: $0) }
        case "presented": return text.map { .presented(how: $0) }
        case "headless": return text.map { .headless(reason: $0) }
        case "session corrupt": return text.map { .sessionCorrupt(reason: $0) }
        case "store failed": return text.map { .storeFailed(reason: $0) }
        case "lock timed out": return text.map { .lockTimedOut(holder: $0) }
        case "journal failed": return text.map { .journalFailed(reason: $0) }
        case "callback": return callback(json)
        case "callback timed out":
            return json["refused"]?.intValue.map { .callbackTimedOut(refused: Int(clamping: $0)) }
        case "metadata": return metadata(json)
        case "keys": return keys(json)
        case "session": return session(json)
        case "saved": return json["generation"]?.intValue.map { .saved(generation: $0) }
        case "hook": return HookCoding.decode(json).map { .hook($0) }
        case "event": return .event(json["value"])
        case "port": return PortCoding.decode(json).map { .port($0) }
        default: return nil
        }
    }

    private static func encoded(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }

    private static func bytes(_ json: JSONObject) -> [UInt8]? {
        json["bytes"]?.stringValue.flatMap { Base64URL.decode($0) }
    }

    private static func answered(_ json: JSONObject) -> InputEvent? {
        guard let answer = json["answer"]?.objectValue, let response = ResponseCoding.decode(answer) else {
            return nil
        }
        return .answered(response, json["ms"]?.intValue.map { ExchangeTiming(total: $0) })
    }

    private static func unanswered(_ json: JSONObject) -> InputEvent? {
        guard let delivered = json["delivered"]?.boolValue, let cause = json["cause"]?.stringValue,
            let text = json["text"]?.stringValue, let isRefusal = json["refusal"]?.boolValue
        else { return nil }
        return .unanswered(
            TransportTrouble(
                delivery: delivered ? .perhapsDelivered : .notDelivered, cause: cause, message: text,
                isRefusal: isRefusal))
    }

    private static func callback(_ json: JSONObject) -> InputEvent? {
        guard let channel = json["channel"]?.stringValue, let items = json["parameters"]?.arrayValue else {
            return nil
        }
        let parameters = items.compactMap { item -> (name: String, value: String)? in
            guard let pair = item.arrayValue?.compactMap(\.stringValue), pair.count == 2 else { return nil }
            return (pair[0], pair[1])
        }
        return parameters.count == items.count ? .callback(parameters, channel: channel) : nil
    }

    private static func metadata(_ json: JSONObject) -> InputEvent? {
        guard let document = json["document"], let issuer = json["issuer"]?.stringValue,
            let documentIssuer = json["document_issuer"]?.stringValue,
            let origin = json["origin"]?.objectValue.flatMap(OriginCoding.decode)
        else { return nil }
        let amended = Set(json["amended"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        // It was checked when it was recorded; the checks are made again rather than trusted.
        var log = CheckLog()
        let response = HTTPResponse(
            status: 200, fields: [HTTPField("Content-Type", "application/json")],
            body: document.serializedBytes)
        let metadata = try? DiscoveredMetadata.validate(
            response, issuer: issuer, acceptedIssuers: [documentIssuer], amended: amended, log: &log)
        return metadata.map { .metadata($0, origin) }
    }

    private static func keys(_ json: JSONObject) -> InputEvent? {
        guard let document = json["document"],
            let origin = json["origin"]?.objectValue.flatMap(OriginCoding.decode)
        else { return nil }
        // The recorded document was parsed before.
        return (try? JWKSet.parse(document)).map { .keys($0, origin) }
    }

    private static func session(_ json: JSONObject) -> InputEvent? {
        guard let bytes = bytes(json), let generation = json["generation"]?.intValue,
            let isInDoubt = json["in_doubt"]?.boolValue
        else { return nil }
        return .session(StoredSession(bytes: bytes, generation: generation, isInDoubt: isInDoubt))
    }
}

extension InputEvent {
    /// As records name it.
    package var word: String {
        switch self {
        case .start: "start"
        case .done: "done"
        case .randomness: "randomness"
        case .key: "key"
        case .answered: "answered"
        case .unanswered: "unanswered"
        case .redirectOpened: "redirect opened"
        case .redirectFailed: "redirect failed"
        case .presented: "presented"
        case .headless: "headless"
        case .callback: "callback"
        case .callbackTimedOut: "callback timed out"
        case .callbackCancelled: "callback cancelled"
        case .metadata: "metadata"
        case .keys: "keys"
        case .nothingKept: "nothing kept"
        case .session: "session"
        case .noSession: "no session"
        case .saved: "saved"
        case .conflict: "conflict"
        case .sessionCorrupt: "session corrupt"
        case .storeFailed: "store failed"
        case .locked: "locked"
        case .lockTimedOut: "lock timed out"
        case .woke: "woke"
        case .hook: "hook"
        case .event: "event"
        case .eventTimedOut: "event timed out"
        case .port: "port"
        case .journalFailed: "journal failed"
        case .suspended: "suspended"
        case .cancelled: "cancelled"
        }
    }
}
