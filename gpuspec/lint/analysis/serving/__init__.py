"""Model servers: what they load, how they are probed, replaced and scaled."""
