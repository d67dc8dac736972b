internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// HTTP answers as JSON and back.
enum ResponseCoding {
    static func encode(_ response: HTTPResponse) -> JSONObject {
        [
            "status": .int(Int64(response.status)),
            "fields": .array(response.fields.map { .array([.string($0.name), .string($0.value)]) }),
            "body": .string(Base64URL.encode(response.body)),
        ]
    }

    static func decode(_ json: JSONObject) -> HTTPResponse? {
        guard let status = json["status"]?.intValue, let items = json["fields"]?.arrayValue,
            let body = json["body"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { return nil }
        let fields = items.compactMap { item -> HTTPField? in
            guard let pair = item.arrayValue?.compactMap(\.stringValue), pair.count == 2 else { return nil }
            return HTTPField(pair[0], pair[1])
        }
        guard fields.count == items.count else { return nil }
        return HTTPResponse(status: Int(clamping: status), fields: fields, body: body)
    }
}

/// Where a document came from, as JSON and back.
enum OriginCoding {
    static func encode(_ origin: DocumentOrigin) -> JSONObject {
        var json: JSONObject = [
            "url": .string(origin.url), "fetched_at": .int(origin.fetchedAt),
            "fresh_until": .int(origin.freshUntil), "forced": .bool(origin.isForced),
        ]
        json["etag"] = origin.entityTag.map { .string($0) }
        json["last_modified"] = origin.lastModified.map { .string($0) }
        return json
    }

    static func decode(_ json: JSONObject) -> DocumentOrigin? {
        guard let url = json["url"]?.stringValue, let fetchedAt = json["fetched_at"]?.intValue,
            let freshUntil = json["fresh_until"]?.intValue, let isForced = json["forced"]?.boolValue
        else { return nil }
        return DocumentOrigin(
            url: url, fetchedAt: fetchedAt, freshUntil: freshUntil, entityTag: json["etag"]?.stringValue,
            lastModified: json["last_modified"]?.stringValue, isForced: isForced)
    }
}

/// Replies of hooks as JSON and back.
enum HookCoding {
    static func encode(_ reply: HookReply, _ json: inout JSONObject) {
        json["answer"] = .object(reply.wire)
        json["failure"] = reply.failure.map { .string($0) }
        json["remarks"] = reply.remarks.map { .string($0) }
        json["status"] = reply.status.map { .int(Int64($0)) }
    }

    static func decode(_ json: JSONObject) -> HookReply? {
        guard let answer = json["answer"]?.objectValue else { return nil }
        var reply = HookWire.reply(answer)
        guard reply.failure == nil else { return nil }
        reply.failure = json["failure"]?.stringValue
        reply.remarks = json["remarks"]?.stringValue
        reply.status = json["status"]?.intValue.map { Int($0) }
        return reply
    }
}

/// Replies of ports as JSON and back.
enum PortCoding {
    static func encode(_ reply: PortReply, _ json: inout JSONObject) {
        json["outcome"] = reply.outcome.map { .string($0) }
        json["failure"] = reply.failure.map { .string($0) }
        json["fields"] = .object(JSONObject(sorting: reply.fields, ValueCoding.encode))
    }

    static func decode(_ json: JSONObject) -> PortReply? {
        guard let members = json["fields"]?.objectValue else { return nil }
        var fields: [String: Value] = [:]
        for (name, value) in members.members {
            guard let value = ValueCoding.decode(value) else { return nil }
            fields[name] = value
        }
        var reply = PortReply(json["outcome"]?.stringValue, fields: fields)
        reply.failure = json["failure"]?.stringValue
        return reply
    }
}
