"""The protocol: messages, codec, error codes and both ends of a session, without I/O."""
