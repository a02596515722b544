"""Operators of PyTorch by which the model is judged and not made: nobody looks at their kernels one by one. Each is
called three times; what this build of PyTorch lacks is left out."""
import torch
import torch.nn.functional as F

torch.manual_seed(1)
device = "cuda"
half, brain, eighth = torch.float16, torch.bfloat16, torch.float8_e4m3fn


def of(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=device, dtype=dtype)


def whole(most, *shape):
    return torch.randint(0, most, shape, device=device)


x, y, z = of(3000, 5000), of(3000, 5000), of(3000, 5000)
xh, yh, xb = x.to(half), y.to(half), x.to(brain)
xd = of(1500, 2000, dtype=torch.float64)
ints, bytes_ = whole(1000, 3000, 5000), whole(256, 3000, 5000).to(torch.uint8)
complex_ = torch.complex(of(2048, 2048), of(2048, 2048))
square, tall, wide = of(2000, 2000), of(8000, 300), of(300, 8000)
below = square.tril() + 2000 * torch.eye(2000, device=device)
spd = square @ square.t() + 2000 * torch.eye(2000, device=device)
ah, bh = of(3072, 1536, dtype=half), of(1536, 5120, dtype=half)
ab, bb = of(8192, 768, dtype=brain), of(768, 3072, dtype=brain)
af, bf = of(4096, 2048).to(eighth), of(3072, 2048).to(eighth)
one = torch.ones((), device=device)
ai, bi = whole(100, 2048, 2048).to(torch.int8), whole(100, 2048, 2048).to(torch.int8)
flat, signal = of(10_000_000), of(64, 1 << 16)
images, images_h = of(16, 96, 64, 64), of(32, 256, 28, 28, dtype=half)
last = images_h.to(memory_format=torch.channels_last)
kernels, kernels_h = of(128, 96, 3, 3), of(256, 256, 3, 3, dtype=half)
point, depth = of(512, 256, 1, 1, dtype=half), of(256, 1, 3, 3, dtype=half)
grid = torch.rand(16, 64, 64, 2, device=device) * 2 - 1
volume, cube = of(4, 16, 24, 48, 48), of(32, 16, 3, 3, 3)
words, bag = of(100_000, 256), whole(100_000, 4096, 32)
rows_of = whole(3000, 20_000)
classes, targets = of(16_384, 1000), whole(1000, 16_384)
q, k, v = (of(2, 32, 2048, 128, dtype=brain) for _ in range(3))
few = [of(2, 8, 2048, 128, dtype=brain) for _ in range(2)]
short = [of(64, 12, 197, 64, dtype=half) for _ in range(3)]
bias = of(2, 32, 2048, 2048, dtype=brain)
sequence = of(128, 64, 512, dtype=half)
lstm = torch.nn.LSTM(512, 512, 2).to(device, half)
gru = torch.nn.GRU(512, 768).to(device, half)
sparse = (of(4096, 4096) * (torch.rand(4096, 4096, device=device) < 0.02)).to_sparse_csr()
dense = of(4096, 256)
parameters = [of(1024, 1024).requires_grad_() for _ in range(24)]
for parameter in parameters:
    parameter.grad = torch.randn_like(parameter)
adam = torch.optim.AdamW(parameters, fused=True)
momentum = torch.optim.SGD(parameters, lr=1e-3, momentum=0.9, foreach=True)
points = of(4096, 64)
edges = torch.linspace(-3, 3, 1000, device=device)
trained = images.clone().requires_grad_()
learned = kernels.clone().requires_grad_()
states = of(4, 2048, 4096, dtype=brain).requires_grad_()


def backward(loss, *of_these):
    return torch.autograd.grad(loss, of_these)


OPERATORS = {
    "subtract doubles": lambda: xd - 2 * xd,
    "divide": lambda: x / y,
    "integers": lambda: ints * 3 + ints,
    "bytes": lambda: bytes_ ^ 85,
    "remainder": lambda: torch.remainder(ints, 7),
    "power": lambda: x.abs().pow(1.7),
    "logarithm": lambda: x.abs().log1p(),
    "error function": lambda: torch.erf(x),
    "sine half": lambda: torch.sin(xh),
    "atan2": lambda: torch.atan2(x, y),
    "gamma": lambda: torch.lgamma(x),
    "interpolated": lambda: torch.lerp(x, y, z),
    "divided and added": lambda: torch.addcdiv(x, y, z),
    "complex product": lambda: complex_ * complex_,
    "compare": lambda: x > y,
    "bits of booleans": lambda: (x > 0) & (y > 0),
    "maximum": lambda: torch.maximum(xh, yh),
    "round": lambda: x.round(),
    "cast to bytes": lambda: ints.to(torch.uint8),
    "cast to f8": lambda: xh.to(eighth),
    "mish": lambda: F.mish(xb),
    "hard swish": lambda: F.hardswish(x),
    "gated": lambda: F.glu(xh, 1),
    "leaky": lambda: F.leaky_relu(x),
    "ELU": lambda: F.elu(x),
    "roll": lambda: x.roll(37, 1),
    "flip": lambda: x.flip(0),
    "lower triangle": lambda: square.tril(),
    "pad": lambda: F.pad(images, (1, 2, 3, 4)),
    "reflect": lambda: F.pad(images, (2, 2, 2, 2), mode="reflect"),
    "repeat": lambda: x.repeat(1, 2),
    "expand and add": lambda: images + images[:, :1],
    "strided copy": lambda: x[::2, ::3].contiguous(),
    "transposed sum": lambda: x.t() + y.t().contiguous(),
    "stack": lambda: torch.stack([x, y, z], 2),
    "split and join": lambda: torch.cat(x.chunk(5, 1)[::-1], 1),
    "unfold": lambda: F.unfold(images, 3),
    "shuffle pixels": lambda: F.pixel_shuffle(images, 2),
    "outer product": lambda: torch.outer(flat[:4000], flat[:6000]),
    "product of all": lambda: x.prod(1),
    "sum half": lambda: xh.sum(),
    "sum of a middle": lambda: images.sum(2),
    "sum of bytes": lambda: bytes_.sum(1),
    "any": lambda: (x > 5).any(1),
    "minimum and maximum": lambda: x.aminmax(),
    "argmin of columns": lambda: x.argmin(0),
    "log of sums": lambda: torch.logsumexp(x, 1),
    "deviation": lambda: xb.std(0),
    "norm of rows": lambda: torch.linalg.vector_norm(x, 3, 1),
    "count": lambda: torch.count_nonzero(ints),
    "running product": lambda: x[:, :1000].cumprod(1),
    "running maximum": lambda: x.cummax(0),
    "running sum of all": lambda: flat.cumsum(0),
    "softmax of columns": lambda: torch.softmax(x, 0),
    "softmax, wide": lambda: torch.softmax(of(64, 100_000), 1),
    "layer norm, narrow": lambda: F.layer_norm(classes, (1000,)),
    "RMS norm, narrow": lambda: F.rms_norm(xh, (5000,)),
    "instance norm": lambda: F.instance_norm(images),
    "batch norm, channels last": lambda: F.batch_norm(last, None, None, training=True),
    "smooth loss": lambda: F.smooth_l1_loss(x, y),
    "loss of two classes": lambda: F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)),
    "loss of classes": lambda: F.cross_entropy(classes, targets, label_smoothing=0.1),
    "divergence": lambda: F.kl_div(torch.log_softmax(classes, 1), torch.softmax(classes, 1)),
    "cosine": lambda: F.cosine_similarity(x, y),
    "sort rows": lambda: x[:, :2048].sort(1),
    "sort all": lambda: flat.sort(),
    "sort integers": lambda: ints.flatten()[:4_000_000].sort(),
    "top k, long": lambda: flat.topk(100),
    "median": lambda: x.median(1),
    "k-th value": lambda: x.kthvalue(100, 1),
    "unique": lambda: ints.unique(),
    "nonzero": lambda: (ints > 900).nonzero(),
    "selected": lambda: x[x > 2],
    "search": lambda: torch.searchsorted(edges, flat),
    "buckets": lambda: torch.histc(flat, 200),
    "take along": lambda: x.take_along_dim(ints[:, :2000], 1),
    "rows": lambda: x[rows_of],
    "rows half": lambda: xh[rows_of],
    "scatter": lambda: torch.zeros_like(x).scatter_(1, ints, y),
    "scatter with a maximum": lambda: torch.zeros_like(x).scatter_reduce_(1, ints, y, "amax"),
    "put": lambda: x.clone().index_put_((rows_of[:1000],), y[:1000]),
    "one of many": lambda: F.one_hot(targets, 1000),
    "bag": lambda: F.embedding_bag(bag, words, mode="sum"),
    "long rows": lambda: F.embedding(bag, words),
    "normal numbers": lambda: torch.randn_like(x),
    "coins": lambda: torch.bernoulli(torch.sigmoid(x)),
    "permutation": lambda: torch.randperm(1_000_000, device=device),
    "samples": lambda: torch.multinomial(torch.softmax(classes, 1), 8, replacement=True),
    "dropout half": lambda: F.dropout(xh, 0.3),
    "product of doubles": lambda: xd @ xd.t(),
    "product, tall": lambda: tall @ wide[:, :2000],
    "product, inner": lambda: wide @ tall,
    "product of halves": lambda: ah @ bh,
    "product of brains": lambda: ab @ bb,
    "product, transposed": lambda: bb.t() @ ab.t(),
    "product in f8": lambda: torch._scaled_mm(af, bf.t(), scale_a=one, scale_b=one, out_dtype=brain),
    "product of bytes": lambda: torch._int_mm(ai, bi),
    "product, one row": lambda: ah[:1] @ bh,
    "product, 16 rows": lambda: ab[:16] @ bb,
    "product with GELU": lambda: F.gelu(F.linear(ab, bb.t().contiguous(), bb[0, :3072])),
    "complex products": lambda: complex_ @ complex_,
    "batches": lambda: torch.einsum("bhqd,bhkd->bhqk", *short[:2]),
    "batches of doubles": lambda: torch.bmm(xd.view(100, 150, 200), xd.view(100, 200, 150)),
    "attention, wide heads": lambda: F.scaled_dot_product_attention(q, k, v),
    "attention, wide heads, causal": lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    "attention, few keys": lambda: F.scaled_dot_product_attention(q, *few, enable_gqa=True),
    "attention, short": lambda: F.scaled_dot_product_attention(*short),
    "attention with bias": lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=bias),
    "convolution": lambda: F.conv2d(images, kernels, padding=1),
    "convolution, half": lambda: F.conv2d(images_h, kernels_h, padding=1),
    "convolution, channels last": lambda: F.conv2d(last, kernels_h.to(memory_format=torch.channels_last), padding=1),
    "convolution, strided": lambda: F.conv2d(last, kernels_h, stride=2, padding=1),
    "convolution of points": lambda: F.conv2d(last, point),
    "convolution by depth": lambda: F.conv2d(images_h, depth, padding=1, groups=256),
    "convolution in 3D": lambda: F.conv3d(volume, cube, padding=1),
    "convolution, backward": lambda: backward(F.conv2d(trained, learned, padding=1).square().mean(), trained, learned),
    "transposed convolution": lambda: F.conv_transpose2d(images_h, kernels_h, stride=2),
    "pooling, average": lambda: F.avg_pool2d(images, 3, 2, 1),
    "pooling, channels last": lambda: F.max_pool2d(last, 3, 2, 1),
    "sampled": lambda: F.grid_sample(images, grid, align_corners=False),
    "resized": lambda: F.interpolate(images, size=(100, 100), mode="bicubic"),
    "LSTM": lambda: lstm(sequence),
    "GRU": lambda: gru(sequence),
    "norm, backward": lambda: backward(F.layer_norm(states, (4096,)).float().square().mean(), states),
    "softmax, backward": lambda: backward(torch.softmax(states, 2).float().square().mean(), states),
    "AdamW": adam.step,
    "SGD": momentum.step,
    "clipped": lambda: torch.nn.utils.clip_grad_norm_(parameters, 1.0),
    "FFT": lambda: torch.fft.fft(signal),
    "real FFT": lambda: torch.fft.rfft(signal),
    "FFT in 2D": lambda: torch.fft.fft2(complex_),
    "spectrum": lambda: torch.stft(signal, 512, return_complex=True),
    "Cholesky": lambda: torch.linalg.cholesky(spd),
    "solved": lambda: torch.linalg.solve_triangular(below, tall[:2000], upper=False),
    "distances": lambda: torch.cdist(points, points),
    "Manhattan distances": lambda: torch.cdist(points, points, p=1),
    "covariance": lambda: torch.cov(points.t()),
    "Kronecker": lambda: torch.kron(square[:50, :50], square[:60, :60]),
    "sparse product": lambda: sparse @ dense,
}

left_out = []
for name, call in OPERATORS.items():
    try:
        for _ in range(3):
            call()
        torch.cuda.synchronize()
    except (RuntimeError, TypeError, NotImplementedError, AttributeError) as problem:
        left_out.append(f"{name} ({str(problem).splitlines()[0][:60]})")
print(f"{len(OPERATORS) - len(left_out)} operators; left out: {', '.join(left_out) or 'none'}")
