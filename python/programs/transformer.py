"""Steps of training a transformer in PyTorch: eager, or by Inductor with --compile."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--compile", action="store_true")
options.add_argument("--steps", type=int, default=4)
options = options.parse_args()

WIDTH, HEADS, LAYERS, WORDS, LENGTH, BATCH = 1024, 16, 4, 32000, 1024, 8


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention, self.before_mlp = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        qkv = self.qkv(self.before_attention(x)).view(batch, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, WIDTH)
        x = x + self.out(mixed)
        return x + self.down(F.gelu(self.up(self.before_mlp(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, tokens, wanted):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        scores = self.head(self.norm(self.layers(x)))
        return F.cross_entropy(scores.flatten(0, 1).float(), wanted.flatten())


torch.manual_seed(0)
model = Transformer().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
tokens = torch.randint(0, WORDS, (BATCH, LENGTH + 1), device="cuda")
loss_of = torch.compile(model) if options.compile else model

for _ in range(options.steps):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = loss_of(tokens[:, :-1], tokens[:, 1:])
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
print(f"loss {loss.item():.3f}")
