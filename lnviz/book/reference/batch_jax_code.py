import jax
import jax.numpy as jnp


def batch_norm(x, gain, bias, running, training=True, momentum=0.1, eps=1e-5):
    """x: (N, D); running: its mean and variance, (D,) each. Returns y and the new running ones."""
    mean, var = (x.mean(0), x.var(0)) if training else running  # (D,), biased
    if training:
        seen = (mean, x.var(0, ddof=1))  # unbiased
        running = jax.tree.map(lambda r, s: (1 - momentum) * r + momentum * s, running, seen)
    return gain * (x - mean) / jnp.sqrt(var + eps) + bias, running  # (N, D), (D,) each
