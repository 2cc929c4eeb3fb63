"""The enforcing copy without Kafka: what is left of a record, whether it may be copied now, and what became of it."""
