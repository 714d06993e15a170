import jax.numpy as jnp


def group_norm(x, groups, gain, bias, eps=1e-5):
    """x: (N, C, H, W); gain, bias: (C,)."""
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))  # squares of 16 bits overflow
    cut = wide.reshape(len(x), groups, -1)  # (N, G, C / G * H * W)
    centered = cut - cut.mean(-1, keepdims=True)
    var = jnp.square(centered).mean(-1, keepdims=True)  # (N, G, 1), biased
    x_hat = (centered / jnp.sqrt(var + eps)).reshape(x.shape)
    return (gain[:, None, None] * x_hat + bias[:, None, None]).astype(x.dtype)  # (N, C, H, W)
