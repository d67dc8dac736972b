extension OtherNames {
    /// Those of a descriptor's keys.
    static let descriptor = OtherNames([
        "provider": ["id", "key", "slug"],
        "display_name": ["label", "name", "title"],
        "documentation": ["docs", "docs_url", "documentation_url"],
        "protocol": ["kind", "type"],
        "issuer": ["authority"],
        "server_metadata_url": [
            "configuration_url", "discovery_endpoint", "discovery_url", "metadata_url",
            "openid_configuration", "well_known", "well_known_url",
        ],
        "authorization_endpoint": [
            "auth_endpoint", "auth_uri", "auth_url", "authorization_uri", "authorization_url",
            "authorize_endpoint", "authorize_uri", "authorize_url",
        ],
        "token_endpoint": ["access_token_endpoint", "access_token_url", "token_uri", "token_url"],
        "userinfo_endpoint": [
            "profile_url", "user_info_endpoint", "user_info_url", "user_url", "userinfo_uri",
            "userinfo_url",
        ],
        "jwks_uri": ["jwks", "jwks_endpoint", "jwks_url", "keys_url"],
        "revocation_endpoint": ["revocation_url", "revoke_endpoint", "revoke_url"],
        "introspection_endpoint": ["introspect_url", "introspection_url"],
        "device_authorization_endpoint": [
            "device_authorization_url", "device_code_endpoint", "device_code_url", "device_url",
        ],
        "registration_endpoint": ["registration_url"],
        "end_session_endpoint": ["end_session_url", "logout_endpoint", "logout_url"],
        "endpoint": ["uri", "url"],
        "method": ["http_method", "verb"],
        "body_format": ["content_type", "encoding"],
        "scope": ["default_scope", "default_scopes", "scopes"],
        "scope_delimiter": ["scope_separator"],
        "params": [
            "additional_parameters", "additional_params", "auth_params", "authorization_params",
            "authorize_params", "body", "custom_params", "data", "extra_params", "parameters", "payload",
            "token_params",
        ],
        "token_endpoint_auth_method": [
            "auth_method", "authentication_method", "client_authentication", "token_auth_method",
        ],
        "claims": ["fields", "mapping", "profile", "profile_map", "user_mapping"],
        "token_lifetime": ["expires", "lifetime"],
        "variables": ["vars"],
    ])
}
