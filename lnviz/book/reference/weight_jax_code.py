import jax.numpy as jnp


def weight_norm(x, direction, length, bias):
    """x: (N, inputs); direction: (D, inputs); length, bias: (D,)."""
    wide = direction.astype(jnp.promote_types(direction.dtype, jnp.float32))
    scale = length / jnp.sqrt(jnp.square(wide).sum(1))  # (D,); squares of 16 bits overflow
    weight = (wide * scale[:, None]).astype(x.dtype)  # (D, inputs)
    return x @ weight.T + bias  # (N, D)
