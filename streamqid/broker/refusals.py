"""Why a topic does not take messages, as a sentence for whoever runs the service."""

from __future__ import annotations

from typing import Final

from kafka.errors import (
    AuthorizationError,
    InvalidRecordError,
    KafkaError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    UnknownTopicOrPartitionError,
)

from streamqid.engine.events import Trouble, TroubleKind
from streamqid.errors import TransportError

HOPELESS: Final = (MessageSizeTooLargeError, RecordListTooLargeError, InvalidRecordError)
"""What a broker says about a message that it will never accept."""


def refusal(topic: str, error: Exception, nbytes: int) -> str:
    """Say why a message will never be accepted, and what to do."""
    if isinstance(error, InvalidRecordError):
        return f"The topic {topic} refuses a message as invalid: check what its settings ask of keys and timestamps."
    too_large = f"takes no message of {nbytes:,} bytes"
    return f"The topic {topic} {too_large}: raise its max.message.bytes, or look at fewer columns."


class NotThereError(KafkaError):  # type: ignore[misc]  # kafka-python has no types
    """A topic does not exist or may not be seen."""


def trouble(topic: str, error: Exception) -> Trouble:
    """Say why messages do not arrive; never with the text of a client's error, which may quote a message."""
    if isinstance(error, AuthorizationError):
        sentence = f"The topic {topic} may not be written or read back: grant WRITE and READ on it."
        return Trouble(TroubleKind.UNAUTHORISED, sentence)
    if isinstance(error, (NotThereError, UnknownTopicOrPartitionError)):
        sentence = f"The topic {topic} does not exist or may not be seen: create it, or grant DESCRIBE on it."
        return Trouble(TroubleKind.MISSING, sentence)
    if isinstance(error, TransportError):
        return Trouble(TroubleKind.UNREACHABLE, str(error))
    sentence = f"Messages do not arrive in the topic {topic} ({type(error).__name__}): check the brokers."
    return Trouble(TroubleKind.UNREACHABLE, sentence)
