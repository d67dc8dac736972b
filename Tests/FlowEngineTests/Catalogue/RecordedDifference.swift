import JOSE
import OAuthProtocol

/// A way in which our requests differ from the recorded ones, with the reason and those whom it concerns.
struct RecordedDifference: Sendable {
    typealias Exchange = RecordedRequestTests.Exchange

    let reason: String
    let providers: Set<String>
    let apply: @Sendable (inout Exchange, RecordedScenario) -> Void

    init(
        _ reason: String, _ providers: Set<String>,
        _ apply: @escaping @Sendable (inout Exchange, RecordedScenario) -> Void
    ) {
        self.reason = reason
        self.providers = providers
        self.apply = apply
    }

    /// In the order in which they apply.
    static let all: [RecordedDifference] =
        [
            spaces, commas, openID, requiredScopes, fixedParameters, noProofKey, basic, encodedBasic,
            oneToken, movedAuthorization, movedToken, movedUserInfo,
        ] + single

    // MARK: Scopes

    private static let spaces = RecordedDifference(
        "scopes are separated by spaces where nobody says otherwise (RFC 6749 §3.3)",
        [
            "acton", "acuityscheduling", "adobe", "aha", "arcgis", "assembla", "baidu",
            "basecamp", "bitly", "buffer", "cas", "cheddar", "clio", "concur", "constantcontact",
            "dailymotion", "delivery", "deputy", "docusign", "dropbox", "eventbrite", "eyeem",
            "feedly", "formstack", "foursquare", "freeagent", "gitbook", "github", "gitter",
            "groove", "harvest", "hellosign", "heroku", "homeaway", "hootsuite", "huddle", "ibm",
            "iconfinder", "idme", "idonethis", "imgur", "infusionsoft", "jamendo", "jumplead",
            "live", "livechat", "mailchimp", "mailup", "mailxpert", "mapmyfitness", "mendeley",
            "mention", "mixcloud", "myob", "naver", "nest", "netlify", "nokotime", "notion",
            "optimizely", "podio", "procore", "projectplace2", "pushbullet", "redbooth",
            "runkeeper", "shoeboxed", "slice", "socialpilot", "socrata", "soundcloud", "stripe",
            "surveymonkey", "surveysparrow", "thingiverse", "ticketbud", "timelyapp", "trakt",
            "traxo", "trustpilot", "uber", "unbounce", "underarmour", "untappd", "vend",
            "vercel", "verticalresponse", "viadeo", "weekdone", "wordpress", "workos", "yahoo",
            "yammer", "yandex",
        ]
    ) { exchange, _ in
        for name in ["scope", "scopes"] {
            exchange.authorization[query: name] = exchange.authorization[query: name]?.replacing(
                ",", with: " ")
        }
    }

    private static let commas = RecordedDifference(
        "this provider separates scopes by commas", ["instagram"]
    ) { exchange, _ in
        exchange.authorization[query: "scope"] = exchange.authorization[query: "scope"]?.replacing(
            " ", with: ",")
    }

    private static let openID = RecordedDifference(
        "an OpenID Connect request asks for openid (OIDC Core §3.1.2.1)",
        [
            "adobe", "apple", "asana", "auth0", "authentik", "autodesk", "battlenet", "cognito",
            "docusign", "fusionauth", "gitlab", "google", "intuit", "keycloak", "line",
            "microsoft", "okta", "onelogin", "openstreetmap2", "paypal", "salesforce", "twitch",
            "yahoo",
        ]
    ) { exchange, _ in
        let scopes = exchange.authorization[query: "scope"]?.split(separator: " ").map(String.init) ?? []
        guard !scopes.contains("openid") else { return }
        exchange.authorization[query: "scope"] = (["openid"] + scopes).joined(separator: " ")
    }

    private static let required: [String: (scopes: [String], delimiter: Character)] = [
        "atlassian": (["read:me"], " "), "discord": (["identify"], " "), "fitbit": (["profile"], " "),
        "linkedin": (["profile", "openid"], " "), "logingov": (["openid"], " "),
        "reddit": (["identity"], ","), "todoist": (["data:read"], ","),
        "twitter2": (["tweet.read", "users.read"], " "),
    ]

    private static let requiredScopes = RecordedDifference(
        "the provider refuses requests without these scopes", Set(required.keys)
    ) { exchange, scenario in
        guard let (needed, delimiter) = required[scenario.provider] else { return }
        let asked = exchange.authorization[query: "scope"]?.split(separator: delimiter).map(String.init) ?? []
        let all = needed.filter { !asked.contains($0) } + asked
        exchange.authorization[query: "scope"] = all.joined(separator: String(delimiter))
    }

    // MARK: Parameters

    private static let fixed: [String: [String: String]] = [
        "apple": ["response_mode": "form_post"],
        "atlassian": ["audience": "api.atlassian.com", "prompt": "consent"],
        "campaignmonitor": ["type": "web_server"],
        "dropbox": ["token_access_type": "offline"],
        "google": ["access_type": "offline", "prompt": "consent"],
        "logingov": ["acr_values": "urn:acr.login.gov:auth-only"],
        "notion": ["owner": "user"],
        "reddit": ["duration": "permanent"],
        "strava": ["approval_prompt": "auto"],
        "twitch": [
            "claims":
                #"{"id_token":{"email":null,"email_verified":null,"picture":null,"preferred_username":null}}"#
        ],
        "vk": ["v": "5.131"],
        "workos": ["connection": "conn_example"],
    ]

    private static let fixedParameters = RecordedDifference(
        "the provider needs parameters that the recording's user would have to know", Set(fixed.keys)
    ) { exchange, scenario in
        for (name, value) in fixed[scenario.provider] ?? [:] { exchange.authorization[query: name] = value }
    }

    private static let noProofKey = RecordedDifference(
        "the provider cannot take PKCE",
        [
            "apple", "facebook", "linkedin", "reddit", "slack", "wechat",
        ]
    ) { exchange, _ in
        exchange.authorization[query: "code_challenge"] = nil
        exchange.authorization[query: "code_challenge_method"] = nil
        exchange.token[body: "code_verifier"] = nil
        exchange.token[query: "code_verifier"] = nil
    }

    // MARK: Client authentication

    private static let basic = RecordedDifference(
        "the client authenticates with HTTP Basic",
        [
            "adobe", "authentik", "aweber", "battlenet", "bitbucket", "cognito", "constantcontact",
            "docusign", "figma", "freeagent", "fusionauth", "getbase", "intuit", "keycloak", "mendeley",
            "okta", "onelogin", "paypal", "pinterest", "shoeboxed", "snowflake", "spotify",
            "vimeo", "yahoo", "yandex", "zoom",
        ]
    ) { exchange, scenario in
        exchange.token[body: "client_id"] = nil
        exchange.token[body: "client_secret"] = nil
        let credentials = Base64.encode("\(scenario.clientID):\(scenario.clientSecret)".utf8)
        exchange.token.headers["authorization"] = "Basic \(credentials)"
    }

    private static let encodedBasic = RecordedDifference(
        "identifier and secret are form-encoded before they go into Basic (RFC 6749 §2.3.1)",
        [
            "adobe", "authentik", "autodesk", "aweber", "battlenet", "bitbucket", "cognito",
            "constantcontact",
            "docusign", "ebay", "figma", "fitbit", "freeagent", "fusionauth", "getbase",
            "homeaway", "hootsuite", "intuit", "keycloak", "mendeley", "notion", "okta",
            "onelogin", "paypal", "pinterest", "reddit", "shoeboxed", "snowflake", "spotify",
            "trustpilot", "twitter2", "vimeo", "yahoo", "yandex", "zoom",
        ]
    ) { exchange, scenario in
        let (user, password) = (scenario.clientID, scenario.clientSecret)
        let credentials = [user, password].map { PercentEncoding.encodeForm($0) }.joined(separator: ":")
        exchange.token.headers["authorization"] = "Basic \(Base64.encode(credentials.utf8))"
    }

    private static let oneToken = RecordedDifference(
        "the token goes with a request once (RFC 6750 §2)",
        [
            "baidu", "deezer", "foursquare", "mixcloud", "qq", "stackexchange", "stocktwits",
            "vk", "wechat", "weibo",
        ]
    ) { exchange, _ in
        exchange.userinfo?.headers["authorization"] = nil
    }

    // MARK: Endpoints

    private static func moved(
        _ what: String, _ places: [String: String],
        _ part: @escaping @Sendable (inout Exchange, String) -> Void
    ) -> RecordedDifference {
        RecordedDifference("the \(what) endpoint is another today", Set(places.keys)) { exchange, scenario in
            if let place = places[scenario.provider] { part(&exchange, place) }
        }
    }

    private static let movedAuthorization = moved(
        "authorization",
        [
            "acton": "https://api.actonsoftware.com/authorize",
            "box": "https://account.box.com/api/oauth2/authorize",
            "coinbase": "https://login.coinbase.com/oauth2/auth",
            "concur": "https://www-acme.api.concursolutions.com/oauth2/v0/authorize",
            "constantcontact": "https://authz.constantcontact.com/oauth2/default/v1/authorize",
            "discord": "https://discord.com/oauth2/authorize",
            "ebay": "https://auth.ebay.com/oauth2/authorize",
            "echosign": "https://secure.echosign.com/public/oauth/v2",
            "facebook": "https://www.facebook.com/v22.0/dialog/oauth",
            "harvest": "https://id.getharvest.com/oauth2/authorize",
            "hellosign": "https://app.hellosign.com/oauth/authorize",
            "infusionsoft": "https://accounts.infusionsoft.com/app/oauth/authorize",
            "instagram": "https://www.instagram.com/oauth/authorize",
            "logingov": "https://secure.login.gov/openid_connect/authorize",
            "nylas": "https://api.us.nylas.com/v3/connect/auth",
            "paypal": "https://www.paypal.com/signin/authorize",
            "pinterest": "https://www.pinterest.com/oauth/",
            "producthunt": "https://api.producthunt.com/v2/oauth/authorize",
            "reddit": "https://www.reddit.com/api/v1/authorize",
            "slack": "https://slack.com/oauth/v2/authorize",
            "soundcloud": "https://secure.soundcloud.com/authorize",
            "stackexchange": "https://stackoverflow.com/oauth",
            "tiktok": "https://www.tiktok.com/v2/auth/authorize/",
            "todoist": "https://app.todoist.com/oauth/authorize",
            "trakt": "https://trakt.tv/oauth/authorize",
            "twitter2": "https://x.com/i/oauth2/authorize",
            "uber": "https://login.uber.com/oauth/v2/authorize",
            "vend": "https://secure.retail.lightspeed.app/connect",
            "wrike": "https://login.wrike.com/oauth2/authorize/v4",
            "yandex": "https://oauth.yandex.ru/authorize",
        ]
    ) { $0.authorization.endpoint = $1 }

    private static let movedToken = moved(
        "token",
        [
            "acton": "https://api.actonsoftware.com/token",
            "coinbase": "https://login.coinbase.com/oauth2/token",
            "constantcontact": "https://authz.constantcontact.com/oauth2/default/v1/token",
            "echosign": "https://api.na1.adobesign.com/oauth/v2/token",
            "facebook": "https://graph.facebook.com/v22.0/oauth/access_token",
            "figma": "https://api.figma.com/v1/oauth/token",
            "harvest": "https://id.getharvest.com/api/v2/oauth2/token",
            "hellosign": "https://app.hellosign.com/oauth/token",
            "logingov": "https://secure.login.gov/api/openid_connect/token",
            "nylas": "https://api.us.nylas.com/v3/connect/token",
            "paypal": "https://api-m.paypal.com/v1/oauth2/token",
            "pinterest": "https://api.pinterest.com/v5/oauth/token",
            "podio": "https://api.podio.com/oauth/token/v2",
            "producthunt": "https://api.producthunt.com/v2/oauth/token",
            "reddit": "https://www.reddit.com/api/v1/access_token",
            "slack": "https://slack.com/api/oauth.v2.access",
            "soundcloud": "https://secure.soundcloud.com/oauth/token",
            "stackexchange": "https://stackoverflow.com/oauth/access_token/json",
            "surveysparrow": "https://api.surveysparrow.com/o/oauth/token",
            "tiktok": "https://open.tiktokapis.com/v2/oauth/token/",
            "todoist": "https://api.todoist.com/oauth/access_token",
            "trakt": "https://api.trakt.tv/oauth/token",
            "twitter2": "https://api.x.com/2/oauth2/token",
            "uber": "https://login.uber.com/oauth/v2/token",
            "vend": "https://acme.retail.lightspeed.app/api/1.0/token",
            "vercel": "https://api.vercel.com/login/oauth/token",
            "wrike": "https://login.wrike.com/oauth2/token",
            "yandex": "https://oauth.yandex.ru/token",
        ]
    ) { $0.token.endpoint = $1 }

    private static let movedUserInfo = moved(
        "userinfo",
        [
            "acton": "https://api.actonsoftware.com/api/1/account",
            "aweber": "https://api.aweber.com/1.0/accounts",
            "constantcontact": "https://api.cc.email/v3/account/summary",
            "deezer": "https://api.deezer.com/user/me",
            "echosign": "https://api.na1.adobesign.com/api/rest/v6/users/me",
            "egnyte": "https://acme.egnyte.com/pubapi/v1/userinfo",
            "facebook": "https://graph.facebook.com/v22.0/me",
            "harvest": "https://id.getharvest.com/api/v2/accounts",
            "instagram": "https://graph.instagram.com/me",
            "kakao": "https://kapi.kakao.com/v2/user/me",
            "logingov": "https://secure.login.gov/api/openid_connect/userinfo",
            "mailchimp": "https://login.mailchimp.com/oauth2/metadata",
            "podio": "https://api.podio.com/user/status",
            "soundcloud": "https://api.soundcloud.com/me",
            "square": "https://connect.squareup.com/v2/merchants/me",
            "stackexchange": "https://api.stackexchange.com/2.3/me",
            "trakt": "https://api.trakt.tv/users/me",
            "twitter2": "https://api.x.com/2/users/me",
            "uber": "https://api.uber.com/v1/me",
            "vend": "https://acme.retail.lightspeed.app/api/users",
            "vercel": "https://api.vercel.com/login/oauth/userinfo",
        ]
    ) { $0.userinfo?.endpoint = $1 }
}
