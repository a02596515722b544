"""Operators of PyTorch, each called three times on data that the calls before it may have left in L2."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
device = "cuda"


def of(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=device, dtype=dtype)


half, brain = torch.float16, torch.bfloat16
x, y = of(4096, 4096), of(4096, 4096)
xb, yb = x.to(brain), y.to(brain)
small, row = of(1024, 1024), of(4096)
flat = of(1 << 24)
indices = torch.randint(0, 4096, (8192,), device=device)
classes = torch.randint(0, 4096, (4096,), device=device)
images, filters = of(32, 64, 56, 56), of(64, 64, 3, 3)
images_half, filters_half = images.to(half), filters.to(half)
table = of(50000, 512)
tokens = torch.randint(0, 50000, (8, 1024), device=device)
q, k, v = (of(4, 16, 1024, 64, dtype=brain) for _ in range(3))
mask = x > 0

OPERATORS = {
    "add": lambda: x + y,
    "add half": lambda: xb + yb,
    "add a row": lambda: x + row,
    "multiply and add": lambda: torch.addcmul(x, x, y),
    "copy": lambda: x.clone(),
    "to half": lambda: x.to(brain),
    "to float": lambda: xb.float(),
    "transpose": lambda: x.t().contiguous(),
    "transpose half": lambda: xb.t().contiguous(),
    "permute": lambda: images.permute(0, 2, 3, 1).contiguous(),
    "concatenate": lambda: torch.cat([x, y], 1),
    "exp": lambda: torch.exp(x),
    "tanh": lambda: torch.tanh(x),
    "gelu": lambda: F.gelu(x),
    "silu half": lambda: F.silu(xb),
    "sigmoid": lambda: torch.sigmoid(x),
    "relu": lambda: F.relu(x),
    "where": lambda: torch.where(mask, x, y),
    "masked fill": lambda: x.masked_fill(mask, 0.0),
    "clamp": lambda: x.clamp(-1, 1),
    "sum": lambda: x.sum(),
    "sum of rows": lambda: x.sum(1),
    "sum of columns": lambda: x.sum(0),
    "mean half": lambda: xb.mean(1),
    "max of rows": lambda: x.max(1),
    "argmax": lambda: x.argmax(1),
    "norm": lambda: torch.linalg.vector_norm(x),
    "variance": lambda: x.var(1),
    "softmax": lambda: torch.softmax(x, 1),
    "softmax half": lambda: torch.softmax(xb, 1),
    "log softmax": lambda: torch.log_softmax(x, 1),
    "layer norm": lambda: F.layer_norm(x, (4096,)),
    "layer norm half": lambda: F.layer_norm(xb, (4096,)),
    "RMS norm": lambda: F.rms_norm(xb, (4096,)),
    "batch norm": lambda: F.batch_norm(images, None, None, training=True),
    "group norm": lambda: F.group_norm(images, 8),
    "cross entropy": lambda: F.cross_entropy(x, classes),
    "cumulative sum": lambda: x.cumsum(1),
    "sort": lambda: flat[: 1 << 20].sort(),
    "top k": lambda: x.topk(16, 1),
    "histogram": lambda: torch.bincount(indices, minlength=4096),
    "gather rows": lambda: x.index_select(0, indices),
    "embedding": lambda: F.embedding(tokens, table),
    "scatter add": lambda: torch.zeros_like(x).index_add_(0, indices[:4096], y),
    "product": lambda: x @ y,
    "product half": lambda: xb @ yb,
    "product with bias": lambda: torch.addmm(row.to(brain), xb, yb),
    "product small": lambda: small @ small,
    "batched product": lambda: torch.bmm(q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2)),
    "matrix by vector": lambda: x @ row,
    "matrix by vector half": lambda: xb @ xb[0],
    "attention": lambda: F.scaled_dot_product_attention(q, k, v),
    "attention causal": lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    "convolution half": lambda: F.conv2d(images_half, filters_half, padding=1),
    "pooling": lambda: F.max_pool2d(images, 2),
    "average pooling": lambda: F.adaptive_avg_pool2d(images, 1),
    "interpolate": lambda: F.interpolate(images, scale_factor=2, mode="bilinear"),
    "dropout": lambda: F.dropout(x, 0.1),
}

for name, call in OPERATORS.items():
    for _ in range(3):
        call()
torch.cuda.synchronize()
print(f"{len(OPERATORS)} operators")
