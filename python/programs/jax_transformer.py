"""Steps of training a transformer in JAX."""
import jax
import jax.numpy as jnp

WIDTH, HEADS, LAYERS, WORDS, LENGTH, BATCH = 1024, 16, 4, 32000, 1024, 8


def made(key):
    keys = iter(jax.random.split(key, 2 + 4 * LAYERS))

    def matrix(*shape):
        return jax.random.normal(next(keys), shape, jnp.float32) * 0.02

    def layer():
        return {
            "qkv": matrix(WIDTH, 3 * WIDTH),
            "out": matrix(WIDTH, WIDTH),
            "up": matrix(WIDTH, 4 * WIDTH),
            "down": matrix(4 * WIDTH, WIDTH),
            "norms": jnp.ones((2, WIDTH)),
        }

    return {"words": matrix(WORDS, WIDTH), "places": matrix(LENGTH, WIDTH), "layers": [layer() for _ in range(LAYERS)]}


def norm(x, weight):
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6) * weight).astype(x.dtype)


def layer_of(x, layer):
    half = {name: value.astype(jnp.bfloat16) for name, value in layer.items()}
    qkv = (norm(x, layer["norms"][0]) @ half["qkv"]).reshape(*x.shape[:2], 3, HEADS, WIDTH // HEADS)
    q, k, v = (qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
    scores = (q @ k.transpose(0, 1, 3, 2)).astype(jnp.float32) / (WIDTH // HEADS) ** 0.5
    seen = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    share = jax.nn.softmax(jnp.where(seen, scores, -1e30)).astype(x.dtype)
    x = x + (share @ v).transpose(0, 2, 1, 3).reshape(x.shape) @ half["out"]
    return x + jax.nn.gelu(norm(x, layer["norms"][1]) @ half["up"]) @ half["down"]


def loss_of(weights, tokens, wanted):
    x = (weights["words"][tokens] + weights["places"]).astype(jnp.bfloat16)
    for layer in weights["layers"]:
        x = layer_of(x, layer)
    scores = (x @ weights["words"].T.astype(jnp.bfloat16)).astype(jnp.float32)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), wanted[..., None], -1))


@jax.jit
def step(weights, moments, tokens, wanted):
    loss, slopes = jax.value_and_grad(loss_of)(weights, tokens, wanted)
    moments = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments, slopes)
    return jax.tree.map(lambda w, m: w - 1e-3 * m, weights, moments), moments, loss


weights = made(jax.random.key(0))
moments = jax.tree.map(jnp.zeros_like, weights)
tokens = jax.random.randint(jax.random.key(1), (BATCH, LENGTH + 1), 0, WORDS)
for _ in range(4):
    weights, moments, loss = step(weights, moments, tokens[:, :-1], tokens[:, 1:])
print(f"loss {loss:.3f}")
