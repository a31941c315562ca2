# Slopes from PyTorch's forward mode (python3-torch).
#
# From arrays.  A rod of 100 cells is heated at one end for 100 time steps, and we look for
# conductivities that explain what three sensors felt.  Reverse mode would have
# to keep all 100 states to go back through them; forward mode carries one
# number along with each number, and keeps nothing.  A slope costs about two
# simulations, and a gradient would cost 200.
import torch
from torch.autograd import forward_ad

import lrgd

torch.set_num_threads(1)
CELLS, STEPS = 100, 100
SENSORS = torch.tensor([2, 6, 10])


def simulate(log_conductivity):
    """Temperature at the sensors; explicit Euler on a rod of unit cells."""
    k = 0.2 * torch.exp(log_conductivity)
    between = 2 * k[1:] * k[:-1] / (k[1:] + k[:-1])
    T = torch.zeros(CELLS, dtype=torch.float64)
    for _ in range(STEPS):
        flux = between * (T[1:] - T[:-1])
        heated = k[:1] * (1 - T[:1])
        T = T + torch.cat([heated + flux[:1], flux[1:] - flux[:-1],
                           -flux[-1:]])
    return T[SENSORS]


place = torch.arange(CELLS, dtype=torch.float64)
truth = 0.4 * torch.sin(place / 12)
felt = simulate(truth)


def misfit(log_conductivity):
    off = simulate(log_conductivity) - felt
    return 1e3 * (off ** 2).sum()


def jvp(x, u):
    """The value and its slope along u, in one forward pass."""
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.from_numpy(x), torch.from_numpy(u))
        value, slope = forward_ad.unpack_dual(misfit(dual))
    return value.item(), slope.item()


result = lrgd.minimize(None, torch.zeros(CELLS).numpy(), jvp=jvp, tol=1e-3)
print(f"{result.outcome}: misfit {result.fun:.2g} after {result.nfev} slopes "
      f"(one gradient: {CELLS}), rank {result.rank}")
print("felt     ", felt.numpy().round(4))
print("simulated", simulate(torch.from_numpy(result.x)).numpy().round(4))


# From a tensor: vectors stay on its device, and jvp=True takes slopes along
# many directions in one pass.  A wide network learns eight values; on a GPU it
# has ten million parameters, which never leave the card.
ON_CARD = torch.cuda.is_available()
WIDTH, INPUTS, VALUES = 3162 if ON_CARD else 64, 16, 8
torch.manual_seed(1)
start = torch.randn(WIDTH * (INPUTS + WIDTH + 1),
                    device="cuda" if ON_CARD else "cpu")
inputs = torch.randn(VALUES, INPUTS, device=start.device) / INPUTS ** 0.5
values = torch.randn(VALUES, device=start.device)


def network(weights):
    """Two hidden layers; scaled so that no layer outweighs another."""
    first, second, last = weights.split([WIDTH * INPUTS, WIDTH ** 2, WIDTH])
    hidden = torch.tanh(inputs @ first.view(WIDTH, INPUTS).T)
    hidden = torch.tanh(hidden @ second.view(WIDTH, WIDTH).T / WIDTH ** 0.5)
    return hidden @ last / WIDTH ** 0.5


result = lrgd.minimize(lambda x: ((network(x) - values) ** 2).sum(), start,
                       jvp=True, tol=1e-2)
print(f"{result.outcome}: error {result.fun:.2g} after {result.nfev} slopes of "
      f"{start.numel():,} parameters on {result.x.device}, rank {result.rank}")
