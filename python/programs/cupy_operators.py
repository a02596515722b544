"""Operators of CuPy, each called three times."""
import cupy as cp

cp.random.seed(0)
x, y = cp.random.rand(4096, 4096, dtype=cp.float32), cp.random.rand(4096, 4096, dtype=cp.float32)
half, double, flat = x.astype(cp.float16), x[:2048].astype(cp.float64), x.ravel()
indices = cp.random.randint(0, 4096, 8192)
numbers = cp.random.randint(0, 1 << 30, 1 << 22).astype(cp.int32)
horner = cp.ElementwiseKernel("float32 x", "float32 y", "y = ((x * 3 + 2) * x - 1) * x + sinf(x)", "horner")
squares = cp.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = sqrtf(a)", "0", "squares")

OPERATORS = {
    "add": lambda: x + y,
    "add half": lambda: half + half,
    "double": lambda: double * 2 + 1,
    "exp": lambda: cp.exp(x),
    "sine": lambda: cp.sin(x),
    "power": lambda: x**2.5,
    "horner": lambda: horner(x),
    "sum": lambda: x.sum(),
    "sum of rows": lambda: x.sum(1),
    "sum of columns": lambda: x.sum(0),
    "squares": lambda: squares(x),
    "max": lambda: x.max(0),
    "argmax": lambda: x.argmax(1),
    "mean": lambda: double.mean(1),
    "variance": lambda: x.var(1),
    "cumulative sum": lambda: flat.cumsum(),
    "transpose": lambda: cp.ascontiguousarray(x.T),
    "concatenate": lambda: cp.concatenate([x, y], 1),
    "where": lambda: cp.where(x > y, x, y),
    "take": lambda: x[indices],
    "take columns": lambda: cp.take(x, indices, axis=1),
    "sort": lambda: cp.sort(numbers),
    "sort rows": lambda: cp.sort(x, axis=1),
    "unique": lambda: cp.unique(numbers[: 1 << 20]),
    "histogram": lambda: cp.histogram(flat, bins=64),
    "bincount": lambda: cp.bincount(numbers & 1023),
    "product": lambda: x @ y,
    "product half": lambda: half @ half,
    "einsum": lambda: cp.einsum("ij,ij->i", x, y),
    "Fourier": lambda: cp.fft.fft(x[:1024]),
    "random": lambda: cp.random.rand(1 << 24, dtype=cp.float32),
    "normal": lambda: cp.random.standard_normal(1 << 24, dtype=cp.float32),
}

for name, call in OPERATORS.items():
    for _ in range(3):
        call()
cp.cuda.Device().synchronize()
print(f"{len(OPERATORS)} operators")
