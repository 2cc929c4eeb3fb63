"""The page of the service: static files that the HTTP server hands out, and nothing that needs a network."""
