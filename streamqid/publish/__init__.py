"""What leaves the service: documents, metrics, health and logs, none of them with a value of a record."""
