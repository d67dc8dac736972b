"""django-allauth as an OpenID provider, a project in one file: site_allauth.py provision | serve, with ALLAUTH_STATE and
ALLAUTH_PORT."""
import os
import sys

import django
from django.conf import settings

STATE = os.environ["ALLAUTH_STATE"]
PASSWORD = "alice-password"

if __name__ == "__main__":
    with open(os.path.join(STATE, "key.pem")) as key:
        settings.configure(
            SECRET_KEY="not-a-secret" * 5, ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF="site_allauth", USE_TZ=True, SITE_ID=1,
            DATABASES={"default": {
                "ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(STATE, "db.sqlite3"),
                "OPTIONS": {"timeout": 30}}},
            DEFAULT_AUTO_FIELD="django.db.models.AutoField",
            # Secrets of tests need no slow hash.
            PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
            INSTALLED_APPS=[
                "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
                "django.contrib.messages", "django.contrib.sites", "allauth", "allauth.account", "allauth.idp.oidc"],
            MIDDLEWARE=[
                "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
                "django.middleware.csrf.CsrfViewMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware",
                "allauth.account.middleware.AccountMiddleware"],
            TEMPLATES=[{
                "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                "OPTIONS": {"context_processors": [
                    "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages"]}}],
            AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.ModelBackend"],
            ACCOUNT_EMAIL_VERIFICATION="none", ACCOUNT_RATE_LIMITS=False,
            IDP_OIDC_PRIVATE_KEY=key.read(), IDP_OIDC_ACCESS_TOKEN_FORMAT="jwt", IDP_OIDC_INTROSPECTION_ENABLED=True,
            IDP_OIDC_DCR_ENABLED=True, IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN=False, IDP_OIDC_CIMD_ENABLED=True,
            IDP_OIDC_DEVICE_CODE_INTERVAL=1)
    django.setup()

from allauth.idp.oidc.internal import cimd  # noqa: E402
from django.urls import include, path  # noqa: E402

# It fails where a client names itself by HTTP Basic alone.
is_address = cimd.is_cimd_url
cimd.is_cimd_url = lambda client: bool(client) and is_address(client)

urlpatterns = [path("accounts/", include("allauth.urls")), path("", include("allauth.idp.urls"))]


def provision():
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth.models import User
    from django.core.management import call_command
    call_command("migrate", verbosity=0)
    alice = User.objects.create_user("alice", "alice@example.test", PASSWORD, first_name="Alice", last_name="Example")
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
    for name, kind, further in (
            ("flowrun", "confidential", ["client_credentials"]), ("flowrun-public", "public", [])):
        client = Client(
            id=name, name=name, type=kind, scopes="openid\nprofile\nemail\nread", response_types="code",
            grant_types="\n".join(grants + further), redirect_uris="http://127.0.0.1/callback")
        client.set_secret("flowrun-secret")
        client.save()


if __name__ == "__main__":
    if sys.argv[1] == "provision":
        provision()
    else:
        from django.core.management import call_command
        call_command("runserver", f"127.0.0.1:{os.environ['ALLAUTH_PORT']}", "--noreload")
