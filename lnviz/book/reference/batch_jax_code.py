import jax.numpy as jnp


def batch_norm(x, gain, bias, running, training=True, momentum=0.1, eps=1e-5):
    """x: (N, D); running: its mean and variance, (D,) each. Returns y and the new running ones."""
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))  # squares of 16 bits overflow
    mean, var = (wide.mean(0), wide.var(0)) if training else running  # (D,), biased
    if training:
        seen = (mean, wide.var(0, ddof=1))  # unbiased
        pairs = zip(running, seen, strict=True)
        running = [(1 - momentum) * old + momentum * new for old, new in pairs]
    y = gain * (wide - mean) / jnp.sqrt(var + eps) + bias  # (N, D)
    return y.astype(x.dtype), running  # (N, D), (D,) each
