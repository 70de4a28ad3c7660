"""The incremental potential in torch: what latent dynamics is trained to minimise."""
