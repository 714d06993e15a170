import jax
import jax.numpy as jnp


def layer_norm(x, gain, bias, eps=1e-5):
    """x: (..., D); gain, bias: (D,)."""
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))  # squares of 16 bits overflow
    # Unless told, it takes the difference of two squares, which a large mean spoils.
    x_hat = jax.nn.standardize(wide, axis=-1, epsilon=eps, algorithm="stable")  # (..., D)
    return (gain * x_hat + bias).astype(x.dtype)  # (..., D)
