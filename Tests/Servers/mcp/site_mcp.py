"""An MCP server as a program: site_mcp.py PORT

Its SDK checks requests, registers clients and publishes both kinds of metadata; what it leaves to programs is below: codes
and tokens are kept in memory, and whoever comes is signed in without being asked.
"""
import secrets
import sys
import time

import uvicorn
from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken

PORT = int(sys.argv[1])
ISSUER = f"http://127.0.0.1:{PORT}"
RESOURCE = f"{ISSUER}/mcp"
SCOPES = ["notes"]
LIFETIME = 3600


class Provider:
    def __init__(self):
        self.clients, self.codes, self.access, self.refresh = {}, {}, {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client):
        self.clients[client.client_id] = client

    async def authorize(self, client, request):
        code = secrets.token_urlsafe(32)
        self.codes[code] = AuthorizationCode(
            code=code, scopes=request.scopes or SCOPES, expires_at=time.time() + 60, client_id=client.client_id,
            code_challenge=request.code_challenge, redirect_uri=request.redirect_uri,
            redirect_uri_provided_explicitly=request.redirect_uri_provided_explicitly, resource=request.resource)
        return construct_redirect_uri(str(request.redirect_uri), code=code, state=request.state)

    async def load_authorization_code(self, client, code):
        return self.codes.get(code)

    async def exchange_authorization_code(self, client, code):
        del self.codes[code.code]
        return self.issue(client, code.scopes, code.resource)

    async def load_refresh_token(self, client, token):
        return self.refresh.get(token)

    async def exchange_refresh_token(self, client, token, scopes):
        del self.refresh[token.token]
        return self.issue(client, scopes or token.scopes, token.resource)

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        for tokens in (self.access, self.refresh):
            for name in [name for name, one in tokens.items() if one.client_id == token.client_id]:
                del tokens[name]

    def issue(self, client, scopes, resource):
        access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        facts = {"client_id": client.client_id, "scopes": scopes, "resource": resource}
        self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + LIFETIME, **facts)
        self.refresh[refresh] = RefreshToken(token=refresh, **facts)
        return OAuthToken(
            access_token=access, token_type="Bearer", expires_in=LIFETIME, scope=" ".join(scopes),
            refresh_token=refresh)


server = MCPServer("notes", auth_server_provider=Provider(), auth=AuthSettings(
    issuer_url=ISSUER, resource_server_url=RESOURCE, required_scopes=SCOPES, validate_token_resource=True,
    client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES),
    revocation_options=RevocationOptions(enabled=True)))


@server.tool()
def greet() -> str:
    return "hello"


uvicorn.run(server.streamable_http_app(), port=PORT, log_level="warning")
