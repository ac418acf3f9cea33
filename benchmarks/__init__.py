"""Speed and strength, measured against peers and promises."""
