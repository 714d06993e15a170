import jax


def group_norm(x, groups, gain, bias, eps=1e-5):
    """x: (N, C, H, W); gain, bias: (C,)."""
    cut = x.reshape(len(x), groups, -1)  # (N, G, C / G * H * W)
    x_hat = jax.nn.standardize(cut, axis=-1, epsilon=eps).reshape(x.shape)  # (N, C, H, W)
    return gain[:, None, None] * x_hat + bias[:, None, None]  # (N, C, H, W)
