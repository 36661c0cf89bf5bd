"""The full-screen client: pure screens, a key table, the application that glues them to a link."""
