import jax
import jax.numpy as jnp


def rms_norm(x, gain, eps=1e-5):
    """x: (..., D); gain: (D,)."""
    square = jnp.square(x).mean(-1, keepdims=True)  # (..., 1)
    return gain * x * jax.lax.rsqrt(square + eps)  # (..., D)
