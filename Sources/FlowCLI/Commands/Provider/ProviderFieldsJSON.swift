internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// `provider show --json`: every field of a descriptor with the place that says it, and what is registered.
struct ProviderFieldsJSON: Sendable {
    let provider: LoadedProvider
    let fields: DescriptorFields
    let registration: FoundRegistration

    var text: String { JSONValue.object(object).serialize(pretty: true) + "\n" }

    private var object: JSONObject {
        var object: JSONObject = ["provider": .string(provider.descriptor.id)]
        object["environment"] = provider.descriptor.environment.map { .string($0) }
        object["environments"] = texts(provider.descriptor.environments)
        object["files"] = texts(provider.sources.map(\.path))
        object["fields"] = .array(fields.fields.map(row))
        object["removed"] = texts(fields.removed)
        object["registration"] = .array(
            registration.facts.map {
                ["name": .string($0.name), "value": .string($0.value), "source": .string($0.source)]
            })
        return object
    }

    private func row(_ field: DescriptorField) -> JSONValue {
        var row: JSONObject = [
            "field": texts(field.path), "value": concealed(field.value), "file": .string(field.file),
            "line": .int(Int64(field.mark.line)), "col": .int(Int64(field.mark.column)),
        ]
        if field.isOfEnvironment, let environment = provider.descriptor.environment {
            row["environment"] = .string(environment)
        }
        return .object(row)
    }

    private func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map { .string(SecretShapes.redacted($0)) })
    }

    /// A descriptor with a credential is refused where its key tells; elsewhere it may still look like one.
    private func concealed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(SecretShapes.redacted(text))
        case .array(let values): .array(values.map(concealed))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { (key: SecretShapes.redacted($0.key), value: concealed($0.value)) }))
        default: value
        }
    }
}
