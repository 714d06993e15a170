import jax


def layer_norm(x, gain, bias, eps=1e-5):
    """x: (..., D); gain, bias: (D,)."""
    return gain * jax.nn.standardize(x, axis=-1, epsilon=eps) + bias  # (..., D)
