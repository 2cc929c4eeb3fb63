"""How to reach the brokers."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from streamqid.config.quantities import Duration
from streamqid.config.section import Section, Servers, Variable, mistake

Protocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]


class SaslConfig(Section):
    """Who streamqid is to the brokers, by name."""

    mechanism: Mechanism | None = Field(None, description="PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER.")
    username: str | None = Field(None, min_length=1, description="Name of the user (PLAIN and SCRAM).")
    password_file: Path | None = Field(None, description="File with the password, which only its owner may read.")
    password_env: Variable | None = Field(None, description="Environment variable with the password.")
    token_file: Path | None = Field(
        None, description="File with the token (OAUTHBEARER); read again for each new connection."
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.password_file is not None and self.password_env is not None:
            raise mistake("password_env", "and password_file are both given: give one of them")
        password = self.password_file is not None or self.password_env is not None
        if self.mechanism == "OAUTHBEARER":
            if self.token_file is None:
                raise mistake("token_file", "is needed for the mechanism OAUTHBEARER")
            if password or self.username is not None:
                raise mistake("mechanism", "OAUTHBEARER takes a token_file, and no username or password")
            return self
        if self.token_file is not None:
            raise mistake("token_file", "is for the mechanism OAUTHBEARER only")
        if self.mechanism is None:
            if password or self.username is not None:
                raise mistake("mechanism", "is needed where a username or a password is given")
        elif self.username is None:
            raise mistake("username", f"is needed for the mechanism {self.mechanism}")
        elif not password:
            raise mistake("password_file", f"or password_env is needed for the mechanism {self.mechanism}")
        return self


class TlsConfig(Section):
    """How the connection is protected."""

    ca_file: Path | None = Field(
        None, description="Certificates (PEM) of who may vouch for the brokers; null takes those of the system."
    )
    certificate_file: Path | None = Field(None, description="Certificate (PEM) that streamqid shows to the brokers.")
    key_file: Path | None = Field(
        None, description="Private key (PEM) of that certificate, which only its owner may read."
    )
    key_password_file: Path | None = Field(None, description="File with the password of the private key.")
    key_password_env: Variable | None = Field(None, description="Environment variable with that password.")
    check_hostname: bool = Field(True, description="Whether the certificate of a broker must carry its host name.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.certificate_file is None) != (self.key_file is None):
            absent = "certificate_file" if self.certificate_file is None else "key_file"
            raise mistake(absent, "is missing: a certificate and its private key are given together")
        if self.key_password_file is not None and self.key_password_env is not None:
            raise mistake("key_password_env", "and key_password_file are both given: give one of them")
        if self.key_file is None and (self.key_password_file is not None or self.key_password_env is not None):
            raise mistake("key_file", "is missing, but a password for it is given")
        return self


class KafkaConfig(Section):
    """How to reach the brokers."""

    bootstrap_servers: Servers = Field(
        description="Brokers to begin with, as host:port; a list, or one text with commas."
    )
    client_id: str = Field("streamqid", min_length=1, description="How streamqid calls itself in logs and quotas.")
    group_id: str | None = Field(
        "streamqid",
        min_length=1,
        description="Offsets are committed as group <group_id>.<stream>, for lag tools only; null commits none.",
    )
    bootstrap_timeout: Duration = Field(
        10.0, gt=0, description="How long one attempt to reach a first broker may take; attempts are repeated."
    )
    security_protocol: Protocol = Field("PLAINTEXT", description="PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.")
    sasl: SaslConfig = Field(SaslConfig(), description="Log-in (security_protocol SASL_PLAINTEXT or SASL_SSL).")
    tls: TlsConfig = Field(TlsConfig(), description="Encryption (security_protocol SSL or SASL_SSL).")

    @model_validator(mode="after")
    def _protocol_fits(self) -> Self:
        logs_in, encrypts = self.security_protocol.startswith("SASL"), self.security_protocol.endswith("SSL")
        if logs_in and self.sasl.mechanism is None:
            raise mistake("sasl.mechanism", f"is needed for security_protocol {self.security_protocol}")
        if not logs_in and self.sasl.mechanism is not None:
            wanted = "SASL_SSL" if encrypts else "SASL_SSL or SASL_PLAINTEXT"
            raise mistake("security_protocol", f"is {self.security_protocol}, but sasl is set: write {wanted}")
        if not encrypts and self.tls != TlsConfig():
            wanted = "SASL_SSL" if logs_in else "SSL"
            raise mistake("security_protocol", f"is {self.security_protocol}, but tls is set: write {wanted}")
        return self
