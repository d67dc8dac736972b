import JOSE
import OAuthProtocol

/// What holds of one provider, or of two.
extension RecordedDifference {
    private static func of(
        _ provider: String, _ reason: String,
        _ apply: @escaping @Sendable (inout Exchange, RecordedScenario) -> Void
    ) -> RecordedDifference {
        RecordedDifference("\(provider): \(reason)", [provider], apply)
    }

    static let single: [RecordedDifference] = [
        of("apple", "the client secret is made for every request") { exchange, _ in
            exchange.token[body: "client_secret"] = "made"
        },
        of("basecamp", "\"type\" stands for the response type") { exchange, _ in
            exchange.authorization[query: "response_type"] = nil
        },
        of("concur", "the token endpoint takes a form, with everything that the standard has") {
            exchange, scenario in
            for name in ["client_id", "client_secret", "code"] {
                exchange.token[body: name] = exchange.token[query: name]
                exchange.token[query: name] = nil
            }
            exchange.token[body: "grant_type"] = "authorization_code"
            exchange.token[body: "redirect_uri"] = scenario.redirectURI
            exchange.token[body: "code_verifier"] = scenario.wantsPKCE ? "random" : nil
            exchange.token.headers["content-type"] = "application/x-www-form-urlencoded"
        },
        of("constantcontact", "version 3 of the API knows the application by its token") { exchange, _ in
            exchange.userinfo?[query: "api_key"] = nil
        },
        of("dailymotion", "members are asked for") { exchange, _ in
            exchange.userinfo?[query: "fields"] = "id,username,screenname,email,avatar_240_url"
        },
        of("deezer", "the state travels in the redirect URI") { exchange, _ in
            exchange.authorization[query: "state"] = nil
        },
        of("echosign", "the token goes into the header of the standard") { exchange, _ in
            exchange.userinfo?.headers["access-token"] = nil
            exchange.userinfo?.headers["authorization"] = "Bearer AT-0001"
        },
        of("facebook", "members are asked for, and the app proves itself") { exchange, scenario in
            exchange.userinfo?[query: "fields"] = "id,name,first_name,last_name,email,picture"
            let proof = HMAC.authenticate(
                Array("AT-0001".utf8), key: Array(scenario.clientSecret.utf8), .sha256)
            exchange.userinfo?[query: "appsecret_proof"] = Hexadecimal.encode(proof)
        },
        of("foursquare", "the API wants the date for which it was read") { exchange, _ in
            exchange.userinfo?[query: "v"] = "20230131"
        },
        of("hellosign", "the code goes in JSON, with the state") { exchange, _ in
            exchange.token[body: "state"] = "random"
            exchange.token.headers["content-type"] = "application/json"
        },
        of("instagram", "numeric identifiers have no names of their own any more") { exchange, scenario in
            exchange.authorization[query: "app_id"] = nil
            exchange.authorization[query: "client_id"] = scenario.clientID
            exchange.token[body: "app_id"] = nil
            exchange.token[body: "app_secret"] = nil
            exchange.token[body: "client_id"] = scenario.clientID
            exchange.token[body: "client_secret"] = scenario.clientSecret
            exchange.userinfo?[query: "fields"] = "id,user_id,username,account_type,name"
            exchange.userinfo?[query: "access_token"] = "AT-0001"
            exchange.userinfo?.headers["authorization"] = nil
        },
        of("logingov", "no client has a secret") { exchange, _ in
            exchange.token[body: "client_secret"] = nil
        },
        of("mailchimp", "the token goes into a header with a scheme of its own") { exchange, _ in
            exchange.userinfo?[query: "apikey"] = nil
            exchange.userinfo?.headers["authorization"] = "OAuth AT-0001"
        },
        of("meetup", "the API is GraphQL today") { exchange, _ in
            exchange.userinfo = exchange.userinfo.map { before in
                Wire(
                    method: "POST", url: "https://api.meetup.com/gql-ext",
                    headers: before.headers.merging(["content-type": "application/json"]) { $1 },
                    body: #"{"query": "{ self { id name email } }"}"#)
            }
        },
        of("mixcloud", "the state travels in the redirect URI") { exchange, _ in
            exchange.authorization[query: "state"] = nil
        },
        of("naver", "the state goes with the code") { exchange, _ in
            exchange.token[body: "state"] = "random"
        },
        of("notion", "the API wants its version") { exchange, _ in
            exchange.token.headers["notion-version"] = "2022-06-28"
        },
        of("nylas", "version 3 takes JSON, and separates scopes by spaces") {
            exchange, _ in
            exchange.authorization[query: "scope"] = exchange.authorization[query: "scope"]?.replacing(
                ",", with: " ")
            exchange.authorization[query: "access_type"] = "offline"
            exchange.token.headers["content-type"] = "application/json"
        },
        of("podio", "the token goes with a scheme of its own") { exchange, _ in
            exchange.userinfo?.headers["authorization"] = "OAuth2 AT-0001"
        },
        of("qq", "the token endpoint is asked for JSON") { exchange, _ in
            exchange.token[query: "fmt"] = "json"
        },
        of("snapchat", "the API is GraphQL today") { exchange, _ in
            exchange.userinfo = exchange.userinfo.map { before in
                Wire(
                    method: "POST", url: before.endpoint,
                    headers: before.headers.merging(["content-type": "application/json"]) { $1 },
                    body: #"{"query": "{ me { externalId displayName } }"}"#)
            }
        },
        of("socrata", "the token goes with a scheme of its own") { exchange, _ in
            exchange.userinfo?.headers["authorization"] = "OAuth AT-0001"
        },
        of("soundcloud", "the token goes into a header with a scheme of its own") { exchange, _ in
            exchange.userinfo?[query: "oauth_token"] = nil
            exchange.userinfo?.headers["authorization"] = "OAuth AT-0001"
        },
        of("square", "the code is encoded once more") { exchange, scenario in
            exchange.token[body: "code"] = PercentEncoding.decodeForm(scenario.code)
        },
        of("slack", "the answer of the token endpoint says all that there is") { exchange, _ in
            exchange.userinfo = nil
        },
        of("stackexchange", "the key is the application's, the token goes beside it") { exchange, _ in
            exchange.userinfo?[query: "key"] = "example-app-key"
            exchange.userinfo?[query: "access_token"] = "AT-0001"
            exchange.userinfo?[query: "site"] = "stackoverflow"
        },
        of("tiktok", "version 2 of the API is asked by GET") { exchange, _ in
            exchange.userinfo = exchange.userinfo.map { _ in
                Wire(
                    url: "https://open.tiktokapis.com/v2/user/info/"
                        + "?fields=open_id,union_id,avatar_url,display_name",
                    headers: ["authorization": "Bearer AT-0001"])
            }
        },
        of("trakt", "the API wants the client and its version, and is asked for everything") {
            exchange, scenario in
            exchange.userinfo?[query: "extended"] = "full"
            exchange.userinfo?.headers["trakt-api-key"] = scenario.clientID
            exchange.userinfo?.headers["trakt-api-version"] = "2"
        },
        of("twitch", "userinfo is that of OpenID Connect, which wants no header") { exchange, _ in
            exchange.userinfo?.headers["client-id"] = nil
        },
        of("twitter2", "members are asked for") { exchange, _ in
            exchange.userinfo?[query: "user.fields"] = "profile_image_url,verified"
        },
        of("untappd", "the redirect URI has a name of its own") { exchange, scenario in
            exchange.authorization[query: "redirect_uri"] = nil
            exchange.authorization[query: "redirect_url"] = scenario.redirectURI
            exchange.token[query: "redirect_uri"] = nil
            exchange.token[query: "redirect_url"] = scenario.redirectURI
        },
        of("vk", "one version of the API is named everywhere") { exchange, _ in
            exchange.token[query: "v"] = "5.131"
            exchange.userinfo?[query: "v"] = "5.131"
            exchange.userinfo?[query: "fields"] = "photo_100"
        },
        of("withings", "the answer of the token endpoint says all that there is") { exchange, _ in
            exchange.userinfo = nil
        },
        of("yandex", "the profile is asked for as JSON") { exchange, _ in
            exchange.userinfo?[query: "format"] = "json"
        },
        of("zendesk", "a token is asked for that ends") { exchange, _ in
            exchange.token[body: "expires_in"] = "3600"
            exchange.token[body: "refresh_token_expires_in"] = "2592000"
        },
    ]
}
