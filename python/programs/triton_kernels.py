"""Products of matrices, attention and RMS norm in Triton, over tiles, warps and stages."""
import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, m, n, k, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rows = tl.program_id(0) * TM + tl.arange(0, TM)
    columns = tl.program_id(1) * TN + tl.arange(0, TN)
    inner = tl.arange(0, TK)
    total = tl.zeros((TM, TN), tl.float32)
    for start in range(0, k, TK):
        left = tl.load(a + rows[:, None] * k + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def attention(q, k, v, out, length, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr):
    head = tl.program_id(1) * length * WIDTH
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    width = tl.arange(0, WIDTH)
    mine = tl.load(q + head + rows[:, None] * WIDTH + width[None, :])
    most = tl.full((ROWS,), -float("inf"), tl.float32)
    below = tl.zeros((ROWS,), tl.float32)
    mixed = tl.zeros((ROWS, WIDTH), tl.float32)
    for start in range(0, length, KEYS):
        keys = start + tl.arange(0, KEYS)
        scores = tl.dot(mine, tl.load(k + head + keys[None, :] * WIDTH + width[:, None])) * scale
        higher = tl.maximum(most, tl.max(scores, 1))
        share = tl.exp2(scores - higher[:, None])
        fade = tl.exp2(most - higher)
        below = below * fade + tl.sum(share, 1)
        values = tl.load(v + head + keys[:, None] * WIDTH + width[None, :])
        mixed = tl.dot(share.to(values.dtype), values, mixed * fade[:, None])
        most = higher
    tl.store(out + head + rows[:, None] * WIDTH + width[None, :], (mixed / below[:, None]).to(out.dtype.element_ty))


@triton.jit
def rms_norm(x, weight, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(x + row + at, at < columns, 0.0).to(tl.float32)
        squares += value * value
    factor = tl.rsqrt(tl.sum(squares) / columns + 1e-6)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        scaled = tl.load(x + row + at, inside).to(tl.float32) * factor * tl.load(weight + at, inside).to(tl.float32)
        tl.store(out + row + at, scaled.to(out.dtype.element_ty), inside)


torch.manual_seed(0)


def of(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.float16)


for m, n, k in ((4096, 4096, 4096), (2048, 8192, 1024), (8192, 1024, 2048)):
    a, b, c = of(m, k), of(k, n), torch.empty(m, n, device="cuda", dtype=torch.float16)
    for tm, tn, tk in ((128, 128, 64), (128, 128, 32), (64, 128, 64), (64, 64, 64), (128, 64, 32), (128, 256, 64)):
        for warps, stages in ((4, 3), (8, 3), (4, 2), (8, 4)):
            if (tm + tn) * tk * 2 * stages > 220 * 1024:
                continue
            for _ in range(2):
                product[(m // tm, n // tn)](a, b, c, m, n, k, tm, tn, tk, num_warps=warps, num_stages=stages)

for heads, length, width in ((64, 2048, 64), (32, 2048, 128)):
    q, k, v = of(heads, length, width), of(heads, length, width), of(heads, length, width)
    out = torch.empty_like(q)
    for rows, keys in ((64, 64), (128, 64), (128, 128)):
        for warps, stages in ((4, 2), (8, 2), (4, 3), (8, 3)):
            if (rows + 2 * keys * stages) * width * 2 > 220 * 1024:
                continue
            for _ in range(2):
                attention[(length // rows, heads)](
                    q, k, v, out, length, 1.4427 / width**0.5, rows, keys, width, num_warps=warps, num_stages=stages
                )

for rows, columns in ((8192, 4096), (4096, 8192), (32768, 1024), (16384, 5120)):
    x, weight = of(rows, columns), of(columns)
    out = torch.empty_like(x)
    for block in (512, 1024, 2048, 4096):
        for warps in (4, 8):
            for _ in range(2):
                rms_norm[(rows,)](x, weight, out, columns, block, num_warps=warps)
torch.cuda.synchronize()
