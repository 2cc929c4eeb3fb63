"""A broker with TLS, passwords and access rights.  Its secrets are written here: it is for tests only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deploy.kafka.archive import with_archive
from deploy.kafka.certificates import make_certificates
from deploy.kafka.node import Broker
from deploy.kafka.properties import HOST, free_ports, server_properties
from deploy.kafka.storage import format_storage, kafka_uuid

if TYPE_CHECKING:
    from pathlib import Path

SECURITY = "org.apache.kafka.common.security"
LOGIN = {
    "scram-sha-512": f"{SECURITY}.scram.ScramLoginModule required;",
    "scram-sha-256": f"{SECURITY}.scram.ScramLoginModule required;",
    "oauthbearer": f'{SECURITY}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";',
}


class SecureBroker(Broker):
    """A broker whose port for clients speaks SASL_SSL, and where only admin may do anything without an ACL.

    Users log in with SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN; OAUTHBEARER takes unsigned tokens and trusts their
    ``sub``.  A client may show a certificate (its key lies beside it), and then it must be a good one.
    `internal_bootstrap` is a plaintext port with all rights, for preparing topics and ACLs.
    """

    admin_password = "admin-secret"
    alice_password = "alice-secret"
    bob_password = "bob-secret"

    def __init__(self, directory: Path, *, port: int, internal: int, controller: int) -> None:
        certificates = directory / "certificates"
        make_certificates(certificates)
        self.ca_file = certificates / "ca.pem"
        self.wrong_ca_file = certificates / "wrong-ca.pem"
        self.client_file, self.wrong_client_file = certificates / "client.crt", certificates / "wrong-client.crt"
        self.internal_bootstrap = f"{HOST}:{internal}"
        properties = server_properties(1, directory / "data", port=internal, voters={1: controller})
        properties |= _access(port, internal, controller)
        properties |= {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(certificates / "server.pem"),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.ca_file),
            "listener.name.sasl_ssl.ssl.client.auth": "requested",
        }
        options = ("-Xmx192m", *with_archive())
        super().__init__(directory, properties, port=port, ready_port=internal, options=options)


def start_secure_broker(directory: Path) -> SecureBroker:
    """Start a broker with TLS, passwords and ACLs, and wait until it serves clients."""
    format_storage(directory / "data", node=1, cluster_id=kafka_uuid(), template="users", scram=_scram())
    port, internal, controller = free_ports(3)
    broker = SecureBroker(directory, port=port, internal=internal, controller=controller)
    broker.start()
    return broker


def _passwords() -> dict[str, str]:
    return {
        "admin": SecureBroker.admin_password,
        "alice": SecureBroker.alice_password,
        "bob": SecureBroker.bob_password,
    }


def _scram() -> list[str]:
    return [
        f"{mechanism}=[name={user},password={password}]"
        for user, password in _passwords().items()
        for mechanism in ("SCRAM-SHA-512", "SCRAM-SHA-256")
    ]


def _access(port: int, internal: int, controller: int) -> dict[str, str]:
    """Return the listeners, the ways to log in, and the authorizer."""
    users = " ".join(f'user_{user}="{password}"' for user, password in _passwords().items())
    login = LOGIN | {"plain": f"{SECURITY}.plain.PlainLoginModule required {users};"}
    listeners = f"SASL_SSL://{HOST}:{port},INTERNAL://{HOST}:{internal}"
    return {
        "listeners": f"{listeners},CONTROLLER://{HOST}:{controller}",
        "advertised.listeners": listeners,
        "inter.broker.listener.name": "INTERNAL",
        "listener.security.protocol.map": "SASL_SSL:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": ",".join(mechanism.upper() for mechanism in login),
        **{f"listener.name.sasl_ssl.{name}.sasl.jaas.config": module for name, module in login.items()},
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "false",
        # ANONYMOUS is whoever comes by the plaintext ports.
        "super.users": "User:admin;User:ANONYMOUS",
    }
