import jax
import jax.numpy as jnp


def rms_norm(x, gain, eps=1e-5):
    """x: (..., D); gain: (D,)."""
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))  # squares of 16 bits overflow
    square = jnp.square(wide).mean(-1, keepdims=True)  # (..., 1)
    return (gain * wide * jax.lax.rsqrt(square + eps)).astype(x.dtype)  # (..., D)
