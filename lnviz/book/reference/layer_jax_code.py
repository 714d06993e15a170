import jax.numpy as jnp


def layer_norm(x, gain, bias, eps=1e-5):
    """x: (..., D); gain, bias: (D,)."""
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))  # squares of 16 bits overflow
    centered = wide - wide.mean(-1, keepdims=True)  # (..., D)
    var = jnp.square(centered).mean(-1, keepdims=True)  # (..., 1), biased
    return (gain * centered / jnp.sqrt(var + eps) + bias).astype(x.dtype)  # (..., D)
