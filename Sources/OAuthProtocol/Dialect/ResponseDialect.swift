package import JOSE

/// How a provider writes one answer, where that differs from the RFCs.
///
/// Order of reading (normative): status, format, decode, `errorWhen`, `unwrap`, `map`, `absent`, `types`,
/// `defaults`, required members.
package struct ResponseDialect: Sendable, Hashable {
    /// When an answer with a success status is an error all the same.
    package struct ErrorCondition: Sendable, Hashable {
        package enum Test: Sendable, Hashable {
            case exists(Bool)
            case equals(JSONValue)
            case notEquals(JSONValue)
        }
        /// Where the member may be; the first place that there is counts.
        package let paths: [ValuePath]
        package let test: Test

        package init(path: ValuePath, test: Test) { self.init(paths: [path], test: test) }

        package init(paths: [ValuePath], test: Test) {
            self.paths = paths
            self.test = test
        }
    }

    /// How the text of a member is written.
    package enum MemberType: String, Sendable, Hashable, CaseIterable {
        /// A lifetime.
        case seconds, minutes, milliseconds
        /// A lifetime as `D:HH:MM:SS`, from the left as far as it goes.
        case duration

        /// A point in time: seconds or milliseconds since 1970, or text of RFC 3339.
        case epoch
        case epochMilliseconds = "epoch_ms"
        case iso8601
        /// A lifetime that the answer leaves out: `exp` of the access token says it (RFC 9068 §2.2).
        case jwt
        /// A list: a JSON array, or a text with separators.
        case list, space, comma
    }

    package enum Format: String, Sendable, Hashable, CaseIterable {
        case auto, json, form, xml
        /// JSON in a call of a function.
        case jsonp
        /// A signed JWT, whose claims are the members.
        case jwt

    }

    package var format: Format
    /// What stands before the body lest a page run it as a script, as `)]}'`.
    package var prefix = ""
    /// The statuses of success; 200 alone in the RFCs.
    package var successStatus: ClosedRange<Int>
    package var errorWhen: [ErrorCondition]
    /// Where the parts of an error and the members are; the first that is not empty counts.
    package var errorCode: [ValuePath]
    package var errorDescription: [ValuePath]
    package var unwrap: [ValuePath]
    /// Standard member name to the paths where this provider puts it; the first that is not empty counts.
    package var map: [String: [ValuePath]]
    /// Values by which this provider says that a member is none, such as a lifetime of 0 for no end.
    package var absent: [String: [JSONValue]] = [:]
    package var types: [String: MemberType]
    package var defaults: [String: JSONValue]
    /// Further token sets in the same answer, by name: where the object with their members may be.
    package var tokens: [String: [ValuePath]] = [:]
    /// Words of `token_type` that mean `Bearer` here.
    package var bearerTypes: [String] = []
    /// Members that the session keeps, each with the places where it may be; it is kept under the first of them.
    package var keep: [[ValuePath]] = []

    package init(
        format: Format = .auto, successStatus: ClosedRange<Int> = 200...200,
        errorWhen: [ErrorCondition] = [], errorCode: [ValuePath] = [], errorDescription: [ValuePath] = [],
        unwrap: [ValuePath] = [], map: [String: [ValuePath]] = [:],
        types: [String: MemberType] = [:], defaults: [String: JSONValue] = [:]
    ) {
        self.format = format
        self.successStatus = successStatus
        self.errorWhen = errorWhen
        self.errorCode = errorCode
        self.errorDescription = errorDescription
        self.unwrap = unwrap
        self.map = map
        self.types = types
        self.defaults = defaults
    }

    /// The same for the claims of a JWT, once its signature was checked.
    package var ofJSON: ResponseDialect {
        guard format == .jwt else { return self }
        var dialect = self
        dialect.format = .json
        return dialect
    }

    /// The statuses of success, for messages.
    var successWords: String {
        let (first, last) = (successStatus.lowerBound, successStatus.upperBound)
        return first == last ? "\(first)" : "\(first) to \(last)"
    }

    /// Exactly what the RFCs say.
    package static let standard = ResponseDialect()
}
