"""What an object reacts to: channels, poses, and random training motion."""
