"""What a waiting program asks, and the rules that may answer."""
