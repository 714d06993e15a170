import torch

# A row for each model, a column for each measure.
values = torch.tensor([[0.5, 0.5, 80.0], [0.6, 0.4, 90.0]], dtype=torch.float64)  # «values»
perfect = torch.tensor([1.0, 0.0, 100.0], dtype=torch.float64)  # «perfect»
higher_is_better = torch.tensor([True, False, True])  # «higher»
base, measure = 0, 1  # «score»

sign = torch.where(higher_is_better, 1.0, -1.0)
gains = sign * (values - values[base])  # models,measures: more than 0 is better
shares = gains / (perfect - values[base]).abs()  # of what the base lacks of a perfect score

print(gains[:, measure], 100 * shares)
