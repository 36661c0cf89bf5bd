"""What tests, benchmarks and pictures of the client use: tables and terminals in memory."""
