import jax.numpy as jnp


def instance_norm(x, gain, bias, eps=1e-5):
    """x: (N, C, H, W); gain, bias: (C,)."""
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))  # squares of 16 bits overflow
    centered = wide - wide.mean((2, 3), keepdims=True)  # (N, C, H, W)
    var = jnp.square(centered).mean((2, 3), keepdims=True)  # (N, C, 1, 1), biased
    x_hat = centered / jnp.sqrt(var + eps)
    return (gain[:, None, None] * x_hat + bias[:, None, None]).astype(x.dtype)  # (N, C, H, W)
