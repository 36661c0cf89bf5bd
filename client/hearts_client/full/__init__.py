"""The full-screen client: pure screens, a key table, and the application that glues them to a link."""
