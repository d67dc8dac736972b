/// A step of each kind as flows have it, for `flowrun kinds KIND` and the reference page.
///
/// Other steps that an example names are in the same place of a flow; a test compiles each among them.
package enum KindExamples {
    package static func text(of kind: StepKind) -> String {
        switch kind {
        case .restore:
            """
            restore:
              with: { min_ttl: 5m }            # an access token that is good for that long
              next:
                ok: done
                expired: refresh
                unrefreshable: authorize
                absent: authorize
                insufficient: authorize
            """
        case .discover:
            """
            discover:
              with: { max_age: 1h }
              next: authorize
            """
        case .authorize:
            """
            authorize:
              with:
                scopes: [openid, email]        # in place of the provider file's
                login_hint: ${inputs.who}
              next:
                ok: callback
                headless: unattended           # there is nobody to show a page to
            """
        case .callback:
            """
            callback:
              timeout: 5m
              next:
                ok: exchange
                access_denied: denied
                timeout: abandoned
            """
        case .exchange:
            """
            exchange:
              next:
                ok: verify
                invalid_grant:
                  - { to: authorize, max: 1 }  # the code was too old: once more, with a new one
                  - to: failed
            """
        case .verifyIDToken:
            """
            verify:
              do: verify_id_token
              with: { require: [email] }
              save: { vars.email: "${string(out.claims.email)}" }
              next:
                ok: store
                absent: store                  # plain OAuth 2.0 has none
            """
        case .userinfo:
            """
            userinfo:
              save: { vars.profile: "${out.profile}" }
              next:
                ok: store
                unauthorized:
                  - { to: refresh, max: 1 }    # the token died early
                  - to: failed
            """
        case .refresh:
            """
            refresh:
              next:
                ok: verify
                absent: authorize              # the provider gave no refresh token
                invalid_grant: authorize
                unanswered: authorize          # perhaps used up: never send the same token again
            """
        case .revoke:
            """
            revoke:
              with: { tokens: [refresh_token, access_token] }
              next:
                ok: clear
                partial: clear
                absent: clear
                any: clear                     # the provider's trouble is no reason to stay signed in here
            """
        case .introspect:
            """
            introspect:
              save: { vars.scopes: "${out.scopes}" }
              next:
                ok: done
                inactive: authorize
            """
        case .deviceAuthorize:
            """
            device_authorize:
              next:
                ok: device_poll
                unsupported: authorize
            """
        case .devicePoll:
            """
            device_poll:
              timeout: 15m
              next:
                ok: verify
                expired:
                  - { to: device_authorize, max: 2 }  # a new code, twice at most
                  - to: failed
            """
        case .clientCredentials:
            """
            token:
              do: client_credentials
              with: { scopes: [reports.read] }
              next: done
            """
        case .tokenExchange:
            """
            narrow:
              do: token_exchange
              with:
                audience: [billing]
                scopes: [invoices.read]
                into: billing                  # beside the tokens of the sign-in
              next: done
            """
        case .jwtBearer:
            """
            token:
              do: jwt_bearer
              with: { subject: "${inputs.who}", scopes: [calendar.read] }
              next: done
            """
        case .register:
            """
            register:
              with:
                client_name: Deploy bot
                token_endpoint_auth_method: private_key_jwt
              next:
                ok: done
                unauthorized: failed           # the initial access token is missing or wrong
            """
        case .http:
            """
            fetch:
              do: http
              with:
                url: ${provider.endpoints.teams}
                query: { role: admin }
                auth: bearer
                expect: { 404: none }          # a status of its own
                out:
                  team: { at: /items/0/name, type: optional string }
              outcomes: { none: choice }       # and the class of its outcome
              retry: { outcomes: [any.transient], attempts: 3 }
              save: { vars.team: "${out.team}" }
              next:
                ok: done
                none: done
                unauthorized: refresh
            """
        case .store:
            """
            store:
              next:
                ok: done
                conflict: done                 # another process was faster; what it stored is as good
            """
        case .clear:
            """
            clear:
              next: done
            """
        case .logout:
            """
            logout:
              with: { await_return: true }
              timeout: 1m
              next:
                ok: clear
                headless: clear
                any: clear
            """
        case .wait:
            """
            wait:
              with: { event: approved }        # the host program says so
              timeout: 10m
              next:
                ok: done
                timeout: abandoned
            """
        case .choose:
            """
            which:
              do: choose
              next:                            # the first whose condition holds; the last has none
                - { to: fetch, if: "has(inputs.who)" }
                - { to: refresh, if: "inputs.again", max: 1 }
                - done
            """
        case .set:
            """
            remember:
              do: set
              save: { vars.team: "${inputs.who ?? 'nobody'}" }
              next: done
            """
        case .subflow:
            """
            sign_in:
              do: subflow
              with:
                flow: login
                inputs: { login_hint: "${inputs.who}" }
                into: main                     # takes over the tokens of the other flow
              next:
                signed_in: fetch               # its ends are the outcomes
                any: failed
            """
        case .call:
            """
            find:
              do: call
              with:
                port: account.find             # under calls, with args, out and outcomes
                args: { email: "${vars.email}" }
              save: { vars.account: "${out.id}" }
              next:
                found: done
                unknown: failed
            """
        }
    }
}
